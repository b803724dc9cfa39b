#include "pipeline/records/json_record.hpp"

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;
using Found = std::vector<std::string>;

RecordLayout layout_for(const std::vector<std::string>& fields, const std::string& id = "",
                        MissingField missing = MissingField::error) {
  FileOptions files;
  files.format = Format::jsonl;
  files.fields = fields;
  files.id_field = id;
  files.missing = missing;
  return make_layout(files).value();
}

/// "field=text" for each document; checks that each is where it says.
Result<Found> find(const std::string& record, const RecordLayout& layout,
                   std::set<std::string>* clear_fields = nullptr) {
  std::set<std::string> ignored;
  JsonRecordParser parser(layout, clear_fields == nullptr ? ignored : *clear_fields);
  const std::string padded = record + std::string(json_padding(), '\0');
  SOTTO_ASSIGN(const JsonRecord parsed, parser.parse(std::string_view(padded).substr(0, record.size())));
  Found found;
  for (const JsonText& text : parsed.texts) {
    EXPECT_EQ(record[text.begin], '"');
    EXPECT_EQ(record[text.end - 1], '"');
    found.push_back(text.field + "=" + std::string(text.text));
  }
  if (parsed.id) found.push_back("id " + *parsed.id);
  if (parsed.is_incomplete) found.emplace_back("incomplete");
  return found;
}

TEST(JsonRecord, DocumentsHaveTheNamesOfTheirPlaces) {
  struct Case {
    std::string record;
    std::vector<std::string> fields;
    Found found;
  };
  const std::vector<Case> cases = {
      {R"({"t":"a"})", {"t"}, {"t=a"}},
      {R"({"t":"a"})", {"/t"}, {"t=a"}},
      {R"({"/t":"a"})", {"/~1t"}, {"/~1t=a"}},
      {R"({"u":{"t":"a"}})", {"/u/t"}, {"/u/t=a"}},
      {R"({"u/t":"a","u":{"t":"b"}})", {"u/t", "/u/t"}, {"u/t=a", "/u/t=b"}},
      {R"({"/u/t":"a","u":{"t":"a"}})", {"/~1u~1t", "/u/t"}, {"/~1u~1t=a", "/u/t=a"}},
      {R"({"t":["a","b"]})", {"t"}, {"/t/0=a", "/t/1=b"}},
      {R"({"t":["a",null,"b"]})", {"/t/*"}, {"/t/0=a", "/t/2=b"}},
      {R"({"m":[{"b":"x"},{"b":["y","z"]}]})", {"/m/*/b"}, {"/m/0/b=x", "/m/1/b/0=y", "/m/1/b/1=z"}},
      {R"({"m":["x","y"]})", {"/m/0", "/m/*"}, {"/m/0=x", "/m/1=y"}},
      {R"({"b":"1","a":"2"})", {"a", "b"}, {"b=1", "a=2"}},
      {R"({"t" : "a"  , "o":[{},[],"x",-1e5,true,false,null]})", {"t"}, {"t=a"}},
      {R"({"t":null})", {"t"}, {}},
      {R"({"u":null})", {"/u/t"}, {}},
      {R"({"m":[null,{"b":"x"}]})", {"/m/*/b"}, {"/m/1/b=x"}},
      {R"({"m":[]})", {"/m/*/b"}, {}},
  };
  for (const Case& each : cases) {
    const auto found = find(each.record, layout_for(each.fields));
    ASSERT_TRUE(found) << each.record << " " << describe(found.error());
    EXPECT_EQ(*found, each.found) << each.record;
  }
}

TEST(JsonRecord, IdsMayBeAnywhere) {
  EXPECT_EQ(find(R"({"meta":{"id":7},"t":"a"})", layout_for({"t"}, "/meta/id")), (Found{"t=a", "id 7"}));
  EXPECT_EQ(find(R"({"t":"a","ids":["x","y"]})", layout_for({"t"}, "/ids/1")), (Found{"t=a", "id y"}));
  expect_error(find(R"({"meta":{"id":[]},"t":"a"})", layout_for({"t"}, "/meta/id")), Errc::bad_format,
               {"'/meta/id'", "cannot be the id"});
  expect_error(find(R"({"meta":null,"t":"a"})", layout_for({"t"}, "/meta/id")), Errc::bad_format,
               {"no id field '/meta/id'; the record has meta, t"});
}

TEST(JsonRecord, WhatIsMissingIsAnErrorUnlessAllowed) {
  const RecordLayout lenient = layout_for({"/u/t"}, "", MissingField::empty);
  for (const std::string record : {R"({})", R"({"u":{}})"}) {
    EXPECT_EQ(find(record, lenient), Found{"incomplete"});
    expect_error(find(record, layout_for({"/u/t"})), Errc::bad_format, {"no field '/u/t'"});
  }
  // What should be an object may be the text itself.
  for (const std::string record : {R"({"u":"x"})", R"({"u":1})", R"({"u":true})"})
    expect_error(find(record, lenient), Errc::bad_format, {"neither an object nor an array"});
  expect_error(find(R"({"u":[{"t":"x"}]})", lenient), Errc::bad_format, {"'/u' is an array"});
  expect_error(find(R"({"m":{"a":"x"}})", layout_for({"/m/*"}, "", MissingField::empty)), Errc::bad_format,
               {"'/m' is an object, not an array"});
  EXPECT_EQ(find(R"({"m":["x"]})", layout_for({"/m/1"}, "", MissingField::empty)), Found{"incomplete"});
}

TEST(JsonRecord, CopiedFieldsAreNamedWithoutIndices) {
  std::set<std::string> clear;
  ASSERT_TRUE(find(R"({"/x":1,"m":[{"b":"x","who":1},{"b":"y","n":{"o":1}}],"k":[1,2],"i":3})",
                   layout_for({"/m/*/b"}, "i"), &clear));
  EXPECT_EQ(clear, (std::set<std::string>{"/~1x", "/m/*/n", "/m/*/who", "i", "k"}));
}

TEST(JsonRecord, ValuesThatAreCopiedMustBeJsonToo) {
  for (const std::string record :
       {R"({"t":"a","o":{"x":tru}})", R"({"t":"a","o":[1,]})", R"({"u":{"t":"a","x":01}})", R"({"t":"a"} x)",
        R"({"t":"a\q"})", R"({"t":"a")", R"([{"t":"a"}])", R"("t")"}) {
    EXPECT_FALSE(find(record, layout_for({"t"}, "", MissingField::empty))) << record;
  }
}

}  // namespace
}  // namespace sotto
