#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

/// With so little noise that words stay, the output equals the input except for capitals and digits.
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
  EXPECT_EQ(text.substr(text.size() - 6), " \\ \u20ac");  // "tab" is not in the model and became another word
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

TEST_F(Formats, AFieldWhoseNameIsSpelledWithEscapesIsTheNamedOne) {
  EXPECT_EQ(through("in.jsonl", "{\"\\u0074\":\"soup\",\"T\":\"soup\"}\n", {"t"}),
            "{\"\\u0074\":\"Soup\",\"T\":\"soup\"}\n");
  EXPECT_NE(failure("in.jsonl", "{\"t\":\"a\",\"\\u0074\":\"b\"}", {"t"}).find("twice"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{\"t\":null,\"t\":\"b\"}", {"t"}).find("twice"), std::string::npos);
}

TEST_F(Formats, JsonFieldsThatAreNotNamedAreCopiedByteForByteOrRefused) {
  const std::string twice = "{\"a\":1e5,\"a\":\"\\ud83d\\ude00\", \"t\":null,\"a\" :[ ]}\r";
  EXPECT_EQ(through("in.jsonl", twice + "{\"t\":\"soup\"}", {"t"}), twice + "{\"t\":\"Soup\"}");
  // Invalid UTF-8 becomes U+FFFD inside a document, which is rewritten anyway, and nowhere else.
  EXPECT_NO_FATAL_FAILURE(
      through("in.jsonl", "{\"a\":\"x\",\"t\":\"\xE9t\xE9 soup\",\"b\":\"\xC3\xA9\"}", {"t"}));
  for (const std::string bad :
       {"{\"a\":\"\xE9\",\"t\":\"soup\"}", "{\"t\":\"soup\",\"a\":\"\xE9\"}",
        "{\"t\":\"so\xE9up\",\"a\xE9\":\"\"}", "{\"t\":\"soup\",\"a\":\"\xEF\xBF\xBD\xE9\"}"})
    EXPECT_NE(failure("in.jsonl", bad, {"t"}).find("record 1: a field that is copied"), std::string::npos)
        << bad;
}

TEST_F(Formats, DeeplyNestedJsonIsRefused) {
  const auto nested = [](std::size_t depth, const char* open, const char* close) {
    std::string value;
    for (std::size_t i = 0; i < depth; ++i) value += open;
    value += "1";
    for (std::size_t i = 0; i < depth; ++i) value += close;
    return "{\"t\":\"soup\",\"a\":" + value + "}\n";
  };
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"x\":", "}")}) {
    EXPECT_NE(through("in.jsonl", nested(200, open, close), {"t"}).find("\"Soup\""), std::string::npos);
    EXPECT_NE(failure("in.jsonl", nested(300, open, close), {"t"}).find("record 1"), std::string::npos);
    EXPECT_NE(failure("in.jsonl", nested(500'000, open, close), {"t"}).find("record 1"), std::string::npos);
  }
  EXPECT_NE(failure("in.jsonl", nested(500'000, "[", ""), {"t"}).find("record 1"), std::string::npos);
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

// If the open field is not one of the named ones, everything after it would be copied along.
TEST_F(Formats, AQuoteThatIsNeverClosedIsRefused) {
  EXPECT_NE(failure("in.csv", "text,city\nsoup,Rome\nsoup,\"Rome\nsecret,Bonn\n", {"text"})
                .find("record 2 (line 3): a quoted field is not closed"),
            std::string::npos);
  EXPECT_NE(failure("in.csv", "text,\"city\nsecret,Bonn\n", {"text"}).find("not closed"), std::string::npos);
}

TEST_F(Formats, WhatCannotBeAHeaderIsRefused) {
  const auto columns = [](std::size_t count, const std::string& name) {
    std::string header = "text";
    for (std::size_t i = 1; i < count; ++i) header += "," + name;
    return header;
  };
  const std::string longest = columns(1 + (65536 - 4) / 8, "x234567");
  ASSERT_EQ(longest.size(), 65532U);
  EXPECT_EQ(through("in.csv", longest + "xxxx\n", {"text"}), longest + "xxxx\n");
  EXPECT_NE(failure("in.csv", longest + "xxxxx\n", {"text"}).find("65536 bytes"), std::string::npos);
  EXPECT_NE(failure("in.csv", std::string(3'000'000, 'x'), {"x"}).find("65536 bytes"), std::string::npos);
  EXPECT_EQ(through("in.csv", columns(10'000, "x") + "\n", {"text"}), columns(10'000, "x") + "\n");
  EXPECT_NE(failure("in.csv", columns(10'001, "x") + "\n", {"text"}).find("10001 columns"),
            std::string::npos);
}

// Under another delimiter the header might never end; that must not matter.
TEST_F(Formats, AHeaderIsFoundUnderItsOwnDelimiter) {
  std::string rows = "text,a;\"b\n";
  for (int i = 0; i < 10'000; ++i) rows += "soup,1\n";
  std::string expected = "text,a;\"b\n";
  for (int i = 0; i < 10'000; ++i) expected += "Soup,1\n";
  EXPECT_EQ(through("in.csv", rows, {"text"}), expected);
}

// Other characters may end records elsewhere; here the whole file would be a header.
TEST_F(Formats, ControlCharactersInAHeaderAreRefused) {
  for (const std::string end : {"\x1E", "\v", "\f", "\u0085", "\u2028", "\x1C"}) {
    EXPECT_NE(
        failure("in.csv", "id,text,city" + end + "1,secret,Rome" + end, {"text"}).find("control characters"),
        std::string::npos);
    EXPECT_NE(failure("in.tsv", "id\ttext\tcity" + end + "1\tsecret\tRome" + end, {"text"}).find("control"),
              std::string::npos);
  }
  EXPECT_EQ(through("in.csv", "text,\"a\nb\"\n", {"text"}), "text,\"a\nb\"\n");
}

TEST_F(Formats, RecordsWithoutAnyDocumentAreAnErrorUnlessAllowed) {
  const std::string nulls = "{\"t\":null}\n\n{\"t\":null,\"a\":\"Zoe\"}\n";
  EXPECT_NE(failure("in.jsonl", nulls, {"t"}).find("2 records and no document"), std::string::npos);
  write("in.jsonl", nulls);
  FileOptions allowed = files("in.jsonl", "out");
  allowed.fields = {"t"};
  allowed.allow_empty = true;
  EXPECT_EQ(run(options(), allowed), nulls);
  // As the second of two inputs.
  write("first.jsonl", "{\"t\":\"soup\"}\n");
  FileOptions both = files("first.jsonl", "both");
  both.inputs.push_back(path("in.jsonl"));
  both.fields = {"t"};
  EXPECT_NE(run_error(options(), both).find("in.jsonl: 2 records"), std::string::npos);
  std::swap(both.inputs[0], both.inputs[1]);
  EXPECT_NE(run_error(options(), both).find("in.jsonl: 2 records"), std::string::npos);
  // No record, no error.
  EXPECT_EQ(through("in.jsonl", "\n \n", {"t"}), "\n \n");
  EXPECT_EQ(through("in.csv", "t,a\n\n", {"t"}), "t,a\n\n");
}

TEST_F(Formats, MessagesQuoteNoCellAndFewNames) {
  std::string header = "a\nb";
  header = "\"" + header + "\"";
  for (int i = 0; i < 100; ++i) header += ",column" + std::to_string(i) + std::string(50, 'x');
  const std::string message = failure("in.csv", header + "\n", {"text"});
  EXPECT_NE(message.find("a\\x0Ab, column0"), std::string::npos) << message;
  EXPECT_NE(message.find("and 81 more"), std::string::npos);
  EXPECT_LT(message.size(), 1000U);
  for (const std::string bad :
       {"{\"t\":\"Zoe\",\"id\":\"Zoe\",\"id\":\"Zoe\"}", "{\"t\":[{\"Zoe\":1}],\"id\":\"Zoe\"}",
        "{\"t\":\"x\",\"id\":{\"Zoe\":1}}", "{\"t\":\"Zoe\\q\",\"id\":1}", "{\"body\":\"Zoe\"}"})
    EXPECT_EQ(failure("in.jsonl", bad, {"t"}, "id").find("Zoe"), std::string::npos) << bad;
}

TEST_F(Formats, TheIdMustNotBeAText) {
  EXPECT_NE(failure("in.csv", "a,b\n1,2\n", {"a", "b"}, "b").find("id_field: 'b' is also a field"),
            std::string::npos);
}

TEST_F(Formats, CsvErrorsNameColumnsAndRecords) {
  EXPECT_EQ(failure("in.csv", "a,b\n1,2\n", {"c"}),
            "field: " + path("in.csv").string() + " has no column 'c'; it has a, b");
  EXPECT_NE(failure("in.csv", "a,b\n1,2\n1,2,3\n", {"b"})
                .find("record 2 (line 3): 3 columns where the header has 2"),
            std::string::npos);
  EXPECT_NE(failure("in.csv", "a,a\n1,2\n", {"a"}).find("two columns"), std::string::npos);
  EXPECT_NE(failure("in.csv", "", {"a"}).find("needs a header"), std::string::npos);
  EXPECT_NE(failure("in.csv", "a,b\n1,2\n", {"b"}, "id").find("id_field"), std::string::npos);
}

TEST_F(Formats, TsvHasNoQuotes) {
  EXPECT_EQ(through("in.tsv", "id\ttext\n1\t\"soup\n2\tcold\n", {"text"}), "id\ttext\n1\t\"Soup\n2\tCold\n");
}

TEST_F(Formats, FieldsAndFormatsMustFit) {
  EXPECT_NE(failure("in.txt", "soup", {"text"}).find("text has no fields"), std::string::npos);
  EXPECT_NE(failure("in.jsonl", "{}", {}).find("field: missing"), std::string::npos);
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
