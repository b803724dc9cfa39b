#include <gtest/gtest.h>

#include <sotto/error_text.hpp>

#include "base/message.hpp"

namespace sotto {
namespace {

using namespace sotto::base;

/// A spelling that marks what was taken for a name or a hint.
std::string marked(const Error& error) {
  return describe(error, {[](std::string_view name) { return "<" + std::string(name) + ">"; },
                          [](const Hint& hint) { return "[" + hint.command + "]"; }});
}

TEST(ErrorText, SpellsParametersAndHints) {
  const Error error = fail_parameter("resume", "", format_message("needs {{key_file}}; see {{1}} and {{0}}"),
                                     Errc::invalid_argument, {{"first", {}}, {"second", {}}})
                          .value();
  EXPECT_EQ(error.message, "needs {key_file}; see {1} and {0}");
  EXPECT_EQ(marked(error), "<resume>: needs <key_file>; see [second] and [first]");
  EXPECT_EQ(describe(error), "resume: needs key_file; see second and first");
}

TEST(ErrorText, HintsHaveTheirArguments) {
  const Hint hint{"lm calibrate", {{"model", "m"}, {"public_text", ""}, {"threads", "2"}}};
  EXPECT_EQ(describe(fail(Errc::not_found, format_message("run '{{0}}'"), {hint}).value()),
            "run 'lm calibrate (model: m, threads: 2)'");
}

// A file or a value may be called anything, including something that looks like a parameter or a hint.
const std::vector<std::string> kHostile = {
    "{epsilon}", "{0}", "{{epsilon}}", "{{{epsilon}}}", "{",        "}",     "{}",         "}{",
    "{{",        "}}",  "{{}",         "{}}",           "{epsilon", "x}y{z", "{ epsilon }"};

TEST(ErrorText, PlainMessagesStayAsTheyAre) {
  for (const std::string& text : kHostile) {
    EXPECT_EQ(marked(fail(Errc::io, text).value()), text);
    EXPECT_EQ(marked(fail(Errc::io, text.c_str()).value()), text);
    EXPECT_EQ(marked(fail_parameter("field", text, text).value()), "<field>: " + text);
  }
}

TEST(ErrorText, QuotedTextIsNeverTakenForAParameter) {
  for (const std::string& text : kHostile) {
    const Message quoted = format_message("{}{{epsilon}}{}{{0}}{}", text, text, text);
    EXPECT_EQ(marked(fail(Errc::io, quoted, {{"audit", {}}}).value()),
              text + "<epsilon>" + text + "[audit]" + text);
    const Message whole = format_message("{} / {}", quoted, std::string_view(text));
    EXPECT_EQ(marked(fail(Errc::io, whole, {{"audit", {}}}).value()),
              text + "<epsilon>" + text + "[audit]" + text + " / " + text);
  }
}

TEST(ErrorText, APlaceIsToldFirst) {
  for (const std::string& place : kHostile) {
    const auto told = [&](Error error) { return marked(fail_at(place, std::move(error)).value()); };
    EXPECT_EQ(told(fail(Errc::io, format_message("{} and {{seed}}", place)).value()),
              place + ": " + place + " and <seed>");
    EXPECT_EQ(told(fail_parameter("epsilon", "1", "is not allowed").value()),
              place + ": <epsilon>: is not allowed");
    EXPECT_EQ(told(fail(Errc::io, format_message("run {{0}}"), {{"audit", {}}}).value()),
              place + ": run [audit]");
  }
  EXPECT_EQ(fail_at("in.csv", fail(Errc::limit, "too long").value()).value().code, Errc::limit);
  EXPECT_EQ(describe(fail_at("in.csv", fail(Errc::interrupted, "interrupted").value()).value()),
            "interrupted")
      << "a request to stop has no place";
}

}  // namespace
}  // namespace sotto
