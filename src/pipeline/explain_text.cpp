#include <numeric>

#include <fmt/format.h>

#include <sotto/language_models.hpp>

#include "base/checked_value.hpp"
#include "pipeline/text_place.hpp"
#include "pipeline/word_entry.hpp"

namespace sotto {
using namespace pipeline;
namespace {

bool is_word(const Token& token) {
  return token.token_class == TokenClass::word || token.token_class == TokenClass::other;
}

}  // namespace

Result<PlacedToken> pipeline::find_place(const TextPlace& place) {
  PlacedToken found;
  std::uint64_t ignored = 0;
  found.text = replace_invalid_utf8(place.text, ignored);
  tokenize(found.text, found.tokens);
  std::size_t words = 0;
  for (std::size_t i = 0; i < found.tokens.size(); ++i)
    if (is_word(found.tokens[i]) && ++words == place.word) {
      found.token = i;
      return found;
    }
  if (words == 0) return fail_parameter("text", "", "there is no word in it");
  return base::not_allowed("word", place.word,
                           fmt::format("a number from 1 to {}, the words of the text", words));
}

Result<PlacedToken> pipeline::replace_word(const PlacedToken& place, std::string_view word) {
  const Token& token = place.tokens[place.token];
  PlacedToken replaced;
  std::uint64_t ignored = 0;
  replaced.text =
      place.text.substr(0, token.begin) + replace_invalid_utf8(word, ignored) + place.text.substr(token.end);
  tokenize(replaced.text, replaced.tokens);
  replaced.token = place.token;
  if (replaced.tokens.size() != place.tokens.size() || !is_word(replaced.tokens[place.token]) ||
      replaced.word() != replace_invalid_utf8(word, ignored))
    return fail_parameter("against", word, fmt::format("'{}' is not one word", word));
  return replaced;
}

Result<std::shared_ptr<const MaskedTextMechanism>> pipeline::open_masked(const MechanismSpec& spec) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(spec.name));
  if (info->kind != MechanismKind::masked)
    return fail_parameter("mechanism", spec.name,
                          fmt::format("'{}' writes a new text, in which no word has a place", spec.name));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, spec.parameters));
  PrivatizeOptions options;
  options.mechanism = spec;
  return MaskedTextMechanism::make(*info, options, parameters);
}

Result<mechanism::WordRow> pipeline::masked_row(const lm::MaskedMechanism& mechanism,
                                                const PlacedToken& place) {
  std::vector<std::uint64_t> weights;
  SOTTO_TRY(mechanism.weights_of_token(place.text, place.tokens, place.token, weights));
  const auto total =
      static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));  // at most 2^62
  mechanism::WordRow row;
  for (const std::uint64_t weight : weights) row.probabilities.push_back(static_cast<double>(weight) / total);
  return row;
}

Result<Explanation> explain(const TextPlace& place, const ExplainOptions& options) {
  SOTTO_ASSIGN(const PlacedToken placed, find_place(place));
  if (!rewrites_whole_texts(options.mechanism.name)) return explain(placed.word(), options);
  SOTTO_TRY(check_amounts(options));
  SOTTO_ASSIGN(const auto opened, open_masked(options.mechanism));
  const lm::MaskedMechanism& mechanism = *opened->mechanism();
  SOTTO_ASSIGN(const mechanism::WordRow row, masked_row(mechanism, placed));
  const std::optional<std::uint32_t> self = mechanism.filler().find(placed.word());
  Explanation explanation;
  explanation.word = placed.word();
  explanation.in_vocabulary = self.has_value();
  explanation.place = place;
  explanation.model = opened->model_name();
  explanation.guarantee = mechanism.guarantee();
  mechanism::describe_row(
      row, [&](std::uint32_t output) -> std::string_view { return mechanism.filler().words()[output]; }, self,
      options.top, explanation);
  return explanation;
}

}  // namespace sotto
