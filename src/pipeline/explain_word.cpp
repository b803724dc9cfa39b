#include <sotto/explain.hpp>

#include "mechanisms/word_row.hpp"
#include "pipeline/word_entry.hpp"

namespace sotto {
using namespace pipeline;

Result<Explanation> explain(std::string_view word, const ExplainOptions& options) {
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  return explain(word, open, options);
}

Result<Explanation> explain(std::string_view word, const OpenMechanism& open, const ExplainOptions& options) {
  SOTTO_TRY(check_amounts(options));
  const Model& model = *open.model;
  SOTTO_ASSIGN(const WordInput input, find_input(word, model, options.oov));
  Explanation explanation;
  explanation.word = word;
  explanation.in_vocabulary = input.in_vocabulary();
  explanation.entry = input.entry;
  explanation.model = model.name();
  explanation.guarantee = open.mechanism->guarantee();
  if (!input.in_vocabulary() && options.oov == OovPolicy::nearest)
    explanation.guarantee = with_mapped_words(std::move(explanation.guarantee));
  mechanism::describe_row(
      mechanism::word_row(*open.mechanism, input.id, model.size(), options.draws),
      [&](std::uint32_t output) { return model.word(output); },
      input.id < model.size() ? std::optional(input.id) : std::nullopt, options.top, explanation);
  explanation.attacker = attacker_success(open);
  return explanation;
}

}  // namespace sotto
