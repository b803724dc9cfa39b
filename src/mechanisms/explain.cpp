#include <sotto/explain.hpp>

#include "mechanisms/word_row.hpp"

namespace sotto {
using namespace mechanism;

Result<Explanation> explain(std::string_view word, const ExplainOptions& options) {
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  return explain(word, open, options);
}

Result<Explanation> explain(std::string_view word, const OpenMechanism& open, const ExplainOptions& options) {
  const Model& model = *open.model;
  const TokenId id = find_word_or_phrase(model, word);
  Explanation explanation;
  explanation.word = word;
  explanation.in_vocabulary = id != model.bottom();
  explanation.model = model.name();
  explanation.guarantee = open.mechanism->guarantee();
  describe_row(
      word_row(*open.mechanism, id, model.size(), options.draws),
      [&](std::uint32_t output) { return model.word(output); },
      explanation.in_vocabulary ? std::optional(id) : std::nullopt, options.top, explanation);
  explanation.attacker = attacker_success(open);
  return explanation;
}

}  // namespace sotto
