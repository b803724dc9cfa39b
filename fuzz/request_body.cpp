// Bodies of requests: what is accepted is text throughout, means one thing, and can be written again.
#include <array>

#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"
#include "service/json_reader.hpp"
#include "service/json_writer.hpp"

using namespace sotto;
using fuzz::require;
using server::JsonObject;

namespace {

constexpr std::array<std::string_view, 6> kKnown = {"text", "texts", "epsilon", "tokens", "policy", "claims"};

void check_text(std::string_view text) {
  require(is_valid_utf8(text), "a text is UTF-8");
  std::string json = R"({"text":)";
  server::append_json(json, text);
  const auto again = JsonObject::parse(json + "}", kKnown);
  require(again.has_value(), "a text can be written");
  require(again->text("text").value() == text, "a text comes back unchanged");
}

}  // namespace

SOTTO_FUZZ_TARGET(request_body) {
  const auto body = JsonObject::parse(input, kKnown);
  if (!body) {
    require(body.error().status >= 400, "a refusal has a status");
    require(server::to_json(body.error()).find('\n') == std::string::npos, "a refusal has one line");
    return;
  }
  const std::string written = body->json_without({});
  const auto again = JsonObject::parse(written, kKnown);
  require(again && again->json_without({}) == written, "an object comes back unchanged");
  if (const auto text = body->text("text"); text && *text) check_text(**text);
  if (const auto texts = body->texts("texts", 1000); texts && *texts)
    for (const std::string_view text : **texts) check_text(text);
  if (const auto tokens = body->integer("tokens", 1, 9); tokens && *tokens)
    require(**tokens >= 1 && **tokens <= 9, "a number is in its range");
  if (const auto settings = body->settings("policy"))
    for (const auto& [name, value] : *settings) check_text(value);
}
