#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

/// With so little noise that words stay, the output must equal the input but for capitals and digits.
class Formats : public PipelineTest {
 protected:
  static constexpr double kNoNoise = 1e6;

  std::string through(const std::string& name, const std::string& content,
                      const std::vector<std::string>& fields, double epsilon = kNoNoise) {
    write(name, content);
    FileOptions with = files(name, "out");
    with.fields = fields;
    return run(options(epsilon), with);
  }

  std::string failure(const std::string& name, const std::string& content,
                      const std::vector<std::string>& fields, const std::string& id_field = "") {
    write(name, content);
    FileOptions with = files(name, "failed");
    with.fields = fields;
    with.id_field = id_field;
    return run_error(options(), with);
  }
};

TEST_F(Formats, JsonKeepsEverythingButTheField) {
  const std::string in =
      "{\"n\": 1.50e2, \"big\": 123456789012345678901234567890,  \"t\" :\"soup\" , \"x\": [1, {\"t\": "
      "\"Zoe\"}], \"b\":null}\n"
      "\n"
      "{\"t\": null, \"b\": true}\r\n"
      "{\"b\": \"\\u00e9\", \"t\": \"cold \\u0022soup\\u0022\\n\\ttab \\\\ \\u20ac\"}";
  const std::string out = through("in.jsonl", in, {"t"});
  const std::size_t last_line = out.rfind("{\"b\"");
  EXPECT_EQ(out.substr(0, last_line),
            "{\"n\": 1.50e2, \"big\": 123456789012345678901234567890,  \"t\" :\"Soup\" , "
            "\"x\": [1, {\"t\": \"Zoe\"}], \"b\":null}\n"
            "\n"
            "{\"t\": null, \"b\": true}\r\n");
  EXPECT_EQ(out.substr(last_line, 17), "{\"b\": \"\\u00e9\", \"");
  const auto text = nlohmann::json::parse(out.substr(last_line)).at("t").get<std::string>();
  EXPECT_EQ(text.substr(0, 13), "Cold \"soup\"\n\t");
  EXPECT_EQ(text.substr(text.size() - 6), " \\ \u20ac");  // "tab" is no word of the model and became another
}

TEST_F(Formats, JsonFieldsAreIndependentDraws) {
  const std::string out =
      through("in.jsonl", "{\"a\":\"the soup was cold the soup\",\"b\":\"the soup was cold the soup\"}\n",
              {"a", "b"}, 0.1);
  const auto record = nlohmann::json::parse(out);
  EXPECT_NE(record["a"], record["b"]);
}

TEST_F(Formats, BadJsonIsNamedByRecord) {
  EXPECT_NE(failure("in.jsonl", "{\"t\":\"a\"}\n{\"t\": }\n", {"t"}).find("record 2"), std::string::npos);
  for (const std::string bad : {"[1]", "{\"t\":\"a\"} x", "{\"t\":\"a\",\"b\":tru}", "{\"t\":\"a\"", "\"t\"",
                                "{\"t\":\"a\",\"b\":[1,}"})
    EXPECT_NE(failure("in.jsonl", bad, {"t"}).find("record 1"), std::string::npos) << bad;
  EXPECT_NE(failure("in.jsonl", "{\"x\":1}", {"t"}).find("no field 't'"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{\"t\":5}", {"t"}).find("not a string"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{\"t\":\"a\",\"t\":\"b\"}", {"t"}).find("twice"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{\"t\":\"a\"}", {"t"}, "id").find("no id field 'id'"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{\"t\":\"a\",\"id\":[]}", {"t"}, "id").find("cannot be the id"),
            std::string::npos);
}

TEST_F(Formats, CsvKeepsQuotesAndOtherColumns) {
  EXPECT_EQ(
      through("in.csv", "id,text,note\n1,soup,\"a,\"\"b\"\"\"\n2,\"cold, \"\"soup\"\"\nwas\",x\r\n3,,\n",
              {"text"}),
      "id,text,note\n1,Soup,\"a,\"\"b\"\"\"\n2,\"Cold, \"\"soup\"\"\nwas\",x\r\n3,,\n");
}

TEST_F(Formats, CsvHeaderOnlyStaysAHeader) {
  EXPECT_EQ(through("in.csv", "a,b\n", {"b"}), "a,b\n");
}

TEST_F(Formats, CsvErrorsNameColumnsAndRecords) {
  EXPECT_EQ(failure("in.csv", "a,b\n1,2\n", {"c"}),
            "--field: " + path("in.csv").string() + " has no column 'c'; it has a, b");
  EXPECT_NE(failure("in.csv", "a,b\n1,2\n1,2,3\n", {"b"}).find("record 2: 3 columns where the header has 2"),
            std::string::npos);
  EXPECT_NE(failure("in.csv", "a,a\n1,2\n", {"a"}).find("two columns"), std::string::npos);
  EXPECT_NE(failure("in.csv", "", {"a"}).find("needs a header"), std::string::npos);
  EXPECT_NE(failure("in.csv", "a,b\n1,2\n", {"b"}, "id").find("--id-field"), std::string::npos);
}

TEST_F(Formats, TsvHasNoQuotes) {
  EXPECT_EQ(through("in.tsv", "id\ttext\n1\t\"soup\n2\tcold\n", {"text"}), "id\ttext\n1\t\"Soup\n2\tCold\n");
}

TEST_F(Formats, FieldsAndFormatsMustFit) {
  EXPECT_NE(failure("in.txt", "soup", {"text"}).find("text has no fields"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{}", {}).find("--field: missing"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{}", {"a", "a"}).find("given twice"), std::string::npos);
}

TEST_F(Formats, CopiedFieldsAreListedAsLeaks) {
  write("in.jsonl", "{\"name\":\"Zoe\",\"t\":\"soup\"}\n");
  FileOptions with = files("in.jsonl", "out");
  with.fields = {"t"};
  const Receipt receipt = privatize_files(options(), with).value();
  EXPECT_EQ(receipt.clear_fields, std::set<std::string>{"name"});
}

}  // namespace
}  // namespace sotto
