#include <sotto/document_guarantee.hpp>

namespace sotto {
namespace {

bool keeps_words(const Policy& policy) {
  return policy.stopwords == StopwordPolicy::keep || policy.oov == OovPolicy::keep;
}

/// What two texts must share so that the output reveals nothing about them but the draws.
std::vector<SharedTrait> adjacency(const TextRules& rules) {
  if (rules.kind == MechanismKind::generated) return {SharedTrait::model_tokens};
  std::vector<SharedTrait> shared = {SharedTrait::token_classes, SharedTrait::punctuation,
                                     SharedTrait::whitespace, SharedTrait::number_shapes};
  if (rules.collocations) shared.push_back(SharedTrait::segmentation);
  if (rules.shares_by_words) shared.push_back(SharedTrait::word_count);
  if (keeps_words(rules.policy)) shared.push_back(SharedTrait::kept_words);
  if (rules.policy.oov == OovPolicy::drop) shared.push_back(SharedTrait::dropped_words);
  if (rules.policy.numbers == NumberPolicy::keep) shared.push_back(SharedTrait::kept_numbers);
  if (rules.policy.letter_case == CasePolicy::keep) shared.push_back(SharedTrait::letter_case);
  return shared;
}

void promise_nothing(Guarantee& guarantee) {
  guarantee.kind = GuaranteeKind::none;
  guarantee.rho = 0;
  guarantee.assumptions.clear();
  guarantee.statement =
      "Which places are drawn depends on the words of the text, so the output tells about them whatever "
      "epsilon is; privatize stopwords and words outside the vocabulary for a guarantee.";
}

/// What d and epsilon mean for tokens outside the vocabulary that a public map gives their places. The proof,
/// by convexity, is in docs/certificates.md.
std::string outside_statement(const Guarantee& token) {
  std::string statement =
      " A word outside the vocabulary counts as the word that a public map of strings gives it: the promise "
      "is about the mapped words. What has no meaningful place there (links, addresses, other scripts) "
      "counts "
      "as a uniformly drawn word: any two such tokens have the same law, and ";
  if (token.scope == GuaranteeScope::group)
    return statement + "nothing is promised between one of them and a word.";
  if (token.unit.is_pure())
    return statement + "between one of them and a word the same holds as between two words.";
  return statement + "one of them is as far from a word as the word farthest from that.";
}

}  // namespace

Guarantee guarantee_for_texts(Guarantee token, const TextRules& rules) {
  if (token.kind == GuaranteeKind::none) return token;
  const bool drops = rules.policy.oov == OovPolicy::drop;
  const bool leaves_out = keeps_words(rules.policy) || drops;
  if (leaves_out && rules.kind == MechanismKind::masked) {
    promise_nothing(token);
    return token;
  }
  token.adjacency = adjacency(rules);
  if (rules.kind == MechanismKind::word_by_word && rules.policy.oov == OovPolicy::nearest)
    token.statement += outside_statement(token);
  if (!leaves_out) return token;
  if (token.scope == GuaranteeScope::all_inputs) token.scope = GuaranteeScope::privatized_words;
  token.statement += drops ? " Nothing is promised for which words are dropped" : "";
  if (keeps_words(rules.policy))
    token.statement +=
        drops ? ", nor for those that are kept" : " Nothing is promised for words that are kept";
  token.statement += '.';
  return token;
}

}  // namespace sotto
