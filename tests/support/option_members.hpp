// Checks a reader of options as JSON against its schema, member by member.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {

/// A member with a value that is not its default.
template <class Options>
struct OptionMember {
  std::string name;
  std::string value;                           ///< JSON
  std::function<bool(const Options&)> is_set;  ///< whether this value has arrived
  std::string others = {};                     ///< members that it needs beside it, JSON that ends in a comma
};

template <class Options>
class ReaderCheck {
 public:
  using Reader = Result<Options> (*)(std::string_view json);

  /// `always` are members without which the reader refuses the object, JSON that ends in a comma.
  ReaderCheck(const std::string& schema, Reader reader, std::vector<OptionMember<Options>> members,
              std::string always = {})
      : reader_(reader), members_(std::move(members)), always_(std::move(always)) {
    const std::string file = fmt::format("{}/{}.schema.json", SOTTO_SCHEMAS, schema);
    schema_ = base::parse_json(base::read_file(file).value()).at("properties");
  }

  void run() const {
    expect_same_names();
    for (const OptionMember<Options>& member : members_) {
      SCOPED_TRACE(member.name);
      expect_set(member);
      expect_wrong_types_refused(member);
      expect_ends_accepted(member);
      expect_name_suggested(member);
    }
    expect_hostile_text_refused();
  }

 private:
  Result<Options> read(const OptionMember<Options>& member, const std::string& value) const {
    const bool replaces = always_.find('"' + member.name + '"') != std::string::npos;
    return reader_(
        fmt::format("{{{}{}\"{}\": {}}}", replaces ? "" : always_, member.others, member.name, value));
  }

  /// The names that an error lists.
  std::set<std::string> known_to_reader() const {
    const auto unknown = reader_(R"({"01234567890123456789012345678901234567890123456789": 1})");
    const std::string text = unknown ? "" : describe(unknown.error());
    constexpr std::string_view kIntroduction = "there are ";
    const std::size_t found = text.find(kIntroduction);
    EXPECT_NE(found, std::string::npos) << text;
    std::set<std::string> names;
    for (std::size_t begin = found + kIntroduction.size(); begin < text.size();) {
      const std::size_t end = std::min(text.find(", ", begin), text.size());
      names.insert(text.substr(begin, end - begin));
      begin = end + 2;
    }
    return names;
  }

  void expect_same_names() const {
    std::set<std::string> described, tested;
    for (const auto& [name, property] : schema_.items()) described.insert(name);
    for (const OptionMember<Options>& member : members_) tested.insert(member.name);
    EXPECT_EQ(described, tested);
    EXPECT_EQ(described, known_to_reader());
  }

  void expect_set(const OptionMember<Options>& member) const {
    EXPECT_FALSE(member.is_set(Options())) << "its default says nothing";
    const auto options = read(member, member.value);
    ASSERT_TRUE(options) << describe(options.error());
    EXPECT_TRUE(member.is_set(*options));
  }

  void expect_refused(const OptionMember<Options>& member, const std::string& value) const {
    const auto options = read(member, value);
    ASSERT_FALSE(options) << value << " is read";
    EXPECT_TRUE(options.error().parameter.starts_with(member.name)) << describe(options.error());
  }

  void expect_wrong_types_refused(const OptionMember<Options>& member) const {
    const nlohmann::json& property = schema_.at(member.name);
    const std::string type = property.contains("enum")   ? "string"
                             : property.contains("$ref") ? "object"
                                                         : property.at("type").get<std::string>();
    const std::vector<std::pair<std::string, std::string>> values = {
        {"null", "null"},    {"boolean", "true"}, {"number", "1.5"},   {"number", "-1e300"},
        {"string", R"("")"}, {"array", "[null]"}, {"array", "[[[]]]"}, {"object", R"({"a": null})"}};
    for (const auto& [of, value] : values)
      if (of != type) expect_refused(member, value);
    if (type == "array") expect_refused(member, "[{}, {}]");
    if (type == "string") expect_refused(member, R"("a\u0000b")");
    if (type == "integer")
      for (const char* const value : {"-1", "1e20", "18446744073709551616", "9007199254740993"})
        expect_refused(member, value);
    if (property.contains("enum")) expect_refused(member, R"("surprise")");
  }

  /// What the schema allows at most is read, unless it contradicts another member.
  void expect_ends_accepted(const OptionMember<Options>& member) const {
    const nlohmann::json& property = schema_.at(member.name);
    std::vector<nlohmann::json> ends = property.value("enum", std::vector<nlohmann::json>());
    for (const char* const end : {"minimum", "maximum"})
      if (property.contains(end)) ends.push_back(property.at(end));
    for (const nlohmann::json& end : ends) {
      const auto options = read(member, end.dump());
      if (options) continue;
      const std::string text = describe(options.error());
      EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("is not allowed"))) << end.dump();
      EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("must be"))) << end.dump();
    }
  }

  void expect_name_suggested(const OptionMember<Options>& member) const {
    const std::string typed = member.name + "s_";
    const auto options = reader_(fmt::format("{{\"{}\": 1}}", typed));
    expect_error(options, Errc::invalid_argument, typed, {"there is no such option", "did you mean '"});
  }

  void expect_hostile_text_refused() const {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::string name = members_.front().name;
    for (const std::string& text : {std::string(), std::string("[]"), std::string("1"), std::string("{"),
                                    deep, "{\"" + name + "\": " + deep + "}", std::string("{\"a\": 1e400}"),
                                    std::string("{\"\xff\": 1}"), std::string("{} {}")})
      expect_error(reader_(text), Errc::bad_format, {"not a JSON object"});
    expect_error(reader_(R"({"": 1})"), Errc::invalid_argument, {"there is no such option"});
  }

  nlohmann::json schema_;
  Reader reader_;
  std::vector<OptionMember<Options>> members_;
  std::string always_;
};

}  // namespace sotto::testing
