// POST /v1/explain: the output distribution of a word.
#include <sotto/options_json.hpp>

#include "service/computation.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 10> kExplainMembers = {
    "mechanism", "parameters", "model", "epsilon", "oov", "top", "draws", "word", "text", "place"};
constexpr std::array<std::string_view, 3> kInput = {"word", "text", "place"};
constexpr std::uint64_t kMostListed = 10'000;
constexpr std::uint64_t kMostExplainDraws = 100'000;
constexpr std::size_t kLongestWord = 1024;
constexpr std::size_t kLongestText = std::size_t{1} << 14;

/// The library quotes the word; the answer does not.
Failure without_input(const Error& error) {
  Failure failure(error);
  if (failure.status >= 500 || error.code != Errc::invalid_argument || !error.parameter.empty())
    return failure;
  return {422, "unprocessable", "it must be one word, punctuation aside", "word"};
}

/// The library calls the number of a word in its text a word.
Failure at_place(const Error& error) {
  if (error.parameter != "word") return without_input(error);
  return {422, "invalid_argument", "place must be the number of a word of the text, counted from 1", "place"};
}

Outcome<Response> explained(const Result<Explanation>& explanation, Failure failure(const Error&)) {
  if (!explanation) return tl::unexpected(failure(explanation.error()));
  return json_response(to_json(*explanation));
}

Outcome<Response> explain_request(ServiceState& state, const Request& request) {
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kExplainMembers));
  SOTTO_TRY(check_names(body));
  SOTTO_TRY(body.integer("top", 1, kMostListed));
  SOTTO_TRY(body.integer("draws", 1, kMostExplainDraws));
  SOTTO_ASSIGN(const ExplainOptions options, explain_options_from_json(body.json_without(kInput)));
  SOTTO_ASSIGN(const auto word, body.text("word"));
  SOTTO_ASSIGN(const auto text, body.text("text"));
  SOTTO_ASSIGN(const auto place, body.integer("place", 1, kLongestText));
  if (word.has_value() == text.has_value()) return unprocessable("give either word or text", "word");
  if (place && !text) return unprocessable("place belongs to text", "place");
  if (word && word->size() > kLongestWord) return unprocessable("word is too long", "word");
  if (text && text->size() > kLongestText) return unprocessable("text is too long", "text");
  if (text && text->find('\0') != std::string_view::npos)
    return unprocessable("text must not have NUL characters", "text");
  if (word && !rewrites_whole_texts(options.mechanism.name)) {
    SOTTO_ASSIGN(const auto open, state.mechanisms.open(options.mechanism));
    return explained(explain(*word, *open, options), without_input);
  }
  if (word) return explained(explain(*word, options), without_input);
  return explained(
      explain(TextPlace{std::string(*text), static_cast<std::size_t>(place.value_or(1))}, options), at_place);
}

}  // namespace

void add_explain_route(Router& router) {
  router.add({"POST", "/v1/explain", Access::key, computed(explain_request)});
}

}  // namespace sotto::server
