#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/version.hpp>

#include "random/document_stream.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

double per(double amount, double count) {
  return count > 0 ? amount / count : 0;
}

Json guarantee_json(const Receipt& receipt) {
  const Guarantee& guarantee = receipt.guarantee;
  const Counts& counts = receipt.counts;
  const bool holds = !receipt.seeded && guarantee.kind != GuaranteeKind::none;
  const auto largest = static_cast<double>(counts.largest_document);
  const double mean = per(static_cast<double>(counts.privatized), static_cast<double>(counts.documents));
  Json json;
  json["holds"] = holds;
  json["kind"] = receipt.seeded ? "none" : to_string(guarantee.kind);
  json["unit"] = {{"epsilon", guarantee.unit.is_pure() ? "pure" : "metric"},
                  {"metric", guarantee.unit.metric},
                  {"model_sha256", guarantee.unit.model}};
  json["scope"] = to_string(guarantee.scope);
  json["assumptions"] = guarantee.assumptions;
  json["statement"] =
      receipt.seeded ? "Seeded: whoever knows the seed can undo the noise." : guarantee.statement;
  json["epsilon_per_token"] = guarantee.epsilon;
  if (receipt.certificate && !receipt.seeded)
    json["certificate"] = {{"epsilon", receipt.certificate->epsilon},
                           {"attained_epsilon", receipt.certificate->attained},
                           {"nominal_epsilon", receipt.epsilon},
                           {"sha256", receipt.certificate->sha256}};
  json["document"] = {
      {"statement", guarantee.unit.is_pure()
                        ? "The epsilons of the tokens of a document add up."
                        : "Between texts of equal length and equal token classes: epsilon times the "
                          "sum over tokens of d(w, w')."},
      {"epsilon_sum_max", guarantee.epsilon * largest},
      {"epsilon_sum_mean", guarantee.epsilon * mean}};
  return json;
}

Json counts_json(const Counts& counts) {
  return {{"documents", counts.documents},
          {"bytes_in", counts.bytes_in},
          {"tokens",
           {{"word", counts.words},
            {"number", counts.numbers},
            {"punctuation", counts.punctuation},
            {"other", counts.others}}},
          {"privatized", counts.privatized},
          {"changed", counts.changed},
          {"bottom", counts.bottom},
          {"randomized_numbers", counts.randomized_numbers},
          {"passed_in_clear",
           {{"stopwords", counts.clear_stopwords},
            {"out_of_vocabulary", counts.clear_oov},
            {"numbers", counts.clear_numbers},
            {"punctuation", counts.clear_punctuation}}},
          {"dropped", counts.dropped},
          {"invalid_utf8_replaced", counts.invalid_utf8},
          {"withheld", counts.withheld}};
}

Json ledger_json(const LedgerReceipt& ledger) {
  return {{"id", ledger.id},
          {"subject_field", ledger.subject_field},
          {"unit", ledger.unit},
          {"limit", ledger.limit},
          {"charged_documents", ledger.charged_documents},
          {"repeated_documents", ledger.repeated_documents},
          {"entries", ledger.entries},
          {"head", ledger.head}};
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  documents += other.documents;
  bytes_in += other.bytes_in;
  words += other.words;
  numbers += other.numbers;
  punctuation += other.punctuation;
  others += other.others;
  privatized += other.privatized;
  changed += other.changed;
  bottom += other.bottom;
  randomized_numbers += other.randomized_numbers;
  clear_stopwords += other.clear_stopwords;
  clear_oov += other.clear_oov;
  clear_numbers += other.clear_numbers;
  clear_punctuation += other.clear_punctuation;
  dropped += other.dropped;
  invalid_utf8 += other.invalid_utf8;
  withheld += other.withheld;
  largest_document = std::max(largest_document, other.largest_document);
  return *this;
}

std::vector<std::string> what_leaks(const Receipt& receipt) {
  const Policy& policy = receipt.policy;
  std::vector<std::string> leaks = {
      "the length of each document and the sequence of its token classes (word, number, punctuation)",
      "the whitespace between tokens"};
  if (receipt.seeded) leaks.emplace_back("everything, to whoever knows the seed: the noise is public");
  if (policy.punctuation == PunctuationPolicy::keep) leaks.emplace_back("punctuation, as it is");
  if (policy.numbers == NumberPolicy::random)
    leaks.emplace_back("how many digits each number has, and its separators");
  if (policy.numbers == NumberPolicy::keep) leaks.emplace_back("numbers, as they are");
  if (policy.stopwords == StopwordPolicy::keep) leaks.emplace_back("stopwords, as they are");
  if (policy.oov == OovPolicy::keep)
    leaks.emplace_back("words outside the vocabulary, as they are: names and numbers of all kinds");
  if (policy.oov == OovPolicy::drop) leaks.emplace_back("how many words of a document are in the vocabulary");
  if (policy.letter_case == CasePolicy::keep) leaks.emplace_back("the letter case of each word");
  for (const std::string& field : receipt.clear_fields)
    leaks.push_back(fmt::format("the field '{}' of each record, copied as it is", field));
  if (receipt.ledger)
    leaks.emplace_back("which records were withheld: how many words their subjects wrote before them");
  leaks.emplace_back(
      "to an observer of two runs under one key: whether a text changed (a repeat is identical)");
  leaks.emplace_back("the guarantee is computational: the noise comes from a keyed stream cipher");
  return leaks;
}

std::string to_json(const Receipt& receipt) {
  const double tokens = static_cast<double>(receipt.counts.words + receipt.counts.numbers +
                                            receipt.counts.punctuation + receipt.counts.others);
  Json json;
  json["sotto"] = kVersion;
  json["versions"] = {{"receipt", 1},
                      {"tokenizer", kTokenizerVersion},
                      {"policy", kPolicyVersion},
                      {"stream", kStreamVersion}};
  json["seeded"] = receipt.seeded;
  if (receipt.seeded) json["warning"] = "seeded: not private";
  json["mechanism"] = {
      {"name", receipt.mechanism}, {"epsilon", receipt.epsilon}, {"parameters", receipt.parameters}};
  json["model"] = {{"name", receipt.model}, {"sha256", receipt.model_digest}};
  json["guarantee"] = guarantee_json(receipt);
  json["policy"] = {{"stopwords", to_string(receipt.policy.stopwords)},
                    {"oov", to_string(receipt.policy.oov)},
                    {"numbers", to_string(receipt.policy.numbers)},
                    {"punctuation", to_string(receipt.policy.punctuation)},
                    {"case", to_string(receipt.policy.letter_case)}};
  json["input"] = {{"dataset", receipt.dataset}, {"format", receipt.format}, {"fields", receipt.fields}};
  json["configuration_sha256"] = receipt.configuration_digest;
  json["counts"] = counts_json(receipt.counts);
  if (receipt.ledger) json["ledger"] = ledger_json(*receipt.ledger);
  json["leaks"] = what_leaks(receipt);
  json["seconds"] = receipt.seconds;
  json["tokens_per_second"] = per(tokens, receipt.seconds);
  // Names of files and fields need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sotto
