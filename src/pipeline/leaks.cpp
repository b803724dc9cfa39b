// What an observer of the output and the receipt still learns, in sentences.
#include <fmt/format.h>

#include <sotto/receipt.hpp>

namespace sotto {
namespace {

// Field names come from the data file, so neither their number nor their length may bloat a receipt.
constexpr std::size_t kMostFields = 50;
constexpr std::size_t kLongestName = 100;

void add_clear_fields(const std::set<std::string>& fields, std::vector<std::string>& leaks) {
  std::size_t named = 0;
  for (const std::string& field : fields) {
    if (++named > kMostFields) break;
    leaks.push_back(fmt::format("the field '{}{}' of each record, copied as it is",
                                field.substr(0, kLongestName), field.size() > kLongestName ? "..." : ""));
  }
  if (fields.size() > kMostFields)
    leaks.push_back(
        fmt::format("{} more fields of each record, copied as they are", fields.size() - kMostFields));
}

/// What every run reveals.
void add_common_leaks(const Receipt& receipt, std::vector<std::string>& leaks) {
  if (receipt.seeded) leaks.emplace_back("everything, to whoever knows the seed: the noise is public");
  if (receipt.epsilon_chosen_on == EpsilonBasis::private_text)
    leaks.emplace_back(
        "something about all texts together, through epsilon: it was chosen by looking at them, and no "
        "guarantee covers that choice");
  add_clear_fields(receipt.clear_fields, leaks);
  if (receipt.ledger)
    leaks.emplace_back("which records were withheld: how many words their subjects wrote before them");
  if (receipt.counts.repeated > 0)
    leaks.emplace_back("which records were refused: those with a document that had been released before");
  if (receipt.keyed || receipt.seeded)  // otherwise no other run has this key
    leaks.emplace_back(
        "to an observer of two runs under one key: whether a text changed (a repeat is identical)");
  if (receipt.keyed)
    leaks.emplace_back(
        "to whoever can have texts rewritten under the same key, data set and id: whether a guess is the "
        "text");
  leaks.emplace_back("the guarantee is computational: the noise comes from a keyed stream cipher");
}

void add_mechanism_leaks(const Receipt& receipt, std::vector<std::string>& leaks) {
  if (receipt.kind == MechanismKind::word_by_word && receipt.policy.oov == OovPolicy::nearest)
    leaks.emplace_back(
        "whether a token had a place among the words (links, addresses, handles, emoji and other scripts "
        "have none): this is hardly hidden, because such a token is as far from a word as any word is");
  if (receipt.guarantee.scope == GuaranteeScope::group)
    leaks.emplace_back("the group of each word: the output is a word of the same public group");
  if (receipt.guarantee.scope == GuaranteeScope::sensitive_outputs)
    leaks.emplace_back(
        "words that are not sensitive: most are kept, and an output that is not sensitive is the input");
  if (receipt.collocations)
    leaks.emplace_back("how each document was cut into tokens, and how many there are");
  if (receipt.budget)
    leaks.emplace_back(receipt.budget->strategy == "words"
                           ? "the epsilon of each token, so how many words its document has"
                           : "the epsilon of each token, so how many tokens its document has");
}

void add_policy_leaks(const Policy& policy, std::vector<std::string>& leaks) {
  if (policy.punctuation == PunctuationPolicy::keep)
    leaks.emplace_back(
        "punctuation as it is, and single symbols such as # $ % & * + < = > @ ^ _ | ~ (the full stops of "
        "abbreviations such as p.m. belong to words)");
  if (policy.numbers == NumberPolicy::random)
    leaks.emplace_back("how many digits each number has, and its separators");
  if (policy.numbers == NumberPolicy::keep) leaks.emplace_back("numbers, as they are");
  if (policy.stopwords == StopwordPolicy::keep)
    leaks.emplace_back("stopwords, as they are, and how many there are");
  if (policy.oov == OovPolicy::keep)
    leaks.emplace_back("words outside the vocabulary, as they are: names and numbers of all kinds");
  if (policy.oov == OovPolicy::drop) leaks.emplace_back("how many words of a document are in the vocabulary");
  if (policy.numbers == NumberPolicy::drop || policy.punctuation == PunctuationPolicy::drop)
    leaks.emplace_back("how many tokens were dropped");
  if (policy.letter_case == CasePolicy::keep) leaks.emplace_back("the letter case of each word");
}

void add_length_leak(const Receipt& receipt, std::vector<std::string>& leaks) {
  const auto length = receipt.parameters.find("length");
  if (length == receipt.parameters.end() || length->second == "input")
    leaks.emplace_back("how many tokens of the language model each text has");
}

}  // namespace

std::vector<std::string> what_leaks(const Receipt& receipt) {
  std::vector<std::string> leaks;
  if (receipt.kind == MechanismKind::generated) {
    add_length_leak(receipt, leaks);
  } else {
    leaks = {"the length of each document and the sequence of its token classes (word, number, punctuation)",
             "the whitespace between tokens"};
    add_mechanism_leaks(receipt, leaks);
    add_policy_leaks(receipt.policy, leaks);
  }
  add_common_leaks(receipt, leaks);
  return leaks;
}

}  // namespace sotto
