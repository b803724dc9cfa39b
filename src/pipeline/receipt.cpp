#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/composition.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/version.hpp>

#include "privacy/rounding.hpp"
#include "random/document_stream.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

double per(double amount, double count) {
  return count > 0 ? amount / count : 0;
}

double mean_per(std::uint64_t amount, std::uint64_t count) {
  return per(static_cast<double>(amount), static_cast<double>(count));
}

/// Between which texts there is a promise when words are put together. Where shares follow the number of
/// words, that must agree too.
std::string same_segmentation(const Receipt& receipt) {
  const bool words = receipt.budget && receipt.budget->strategy == "words";
  return fmt::format("both texts are cut into the same sequence of token classes{}",
                     words ? " and have as many words" : "");
}

/// The (ε, δ) that bounded range gives for the longest text, beside the sum of its draws' ε.
Json zcdp_json(const Receipt& receipt) {
  Composition composition;
  if (!composition.add(receipt.guarantee, receipt.counts.largest_document) || composition.losses().empty())
    return nullptr;
  const double rho = composition.losses().front().rho;
  const double delta = receipt.language_model->delta;
  const auto epsilon = epsilon_for_delta(rho, delta);
  if (!epsilon) return nullptr;
  return {{"rho_max", rho}, {"delta", delta}, {"epsilon_max", *epsilon}};
}

/// What the draws of a text promise together.
Json text_json(const Receipt& receipt) {
  const double draw = receipt.guarantee.epsilon;
  const Counts& counts = receipt.counts;
  std::string statement = receipt.language_model->whole_text
                              ? "The epsilons of all draws that a text may have add up, whatever texts are "
                                "compared that allow the "
                                "same number of draws."
                              : "The epsilons of all draws of a text add up, because each draw reads the "
                                "whole text: between any two "
                                "texts of equal token classes, also where they differ in one word.";
  Json json = {{"statement", statement},
               {"epsilon_sum_max", multiply_up(draw, static_cast<double>(counts.largest_document))},
               {"epsilon_sum_mean", draw * mean_per(counts.privatized, counts.documents)}};
  if (receipt.guarantee.kind == GuaranteeKind::none) json["statement"] = receipt.guarantee.statement;
  if (Json zcdp = zcdp_json(receipt); !zcdp.is_null()) json["zcdp"] = zcdp;
  return json;
}

Json language_model_json(const LanguageModelReceipt& model) {
  Json json = {{"device", model.device},
               {"precision", model.precision},
               {"law", model.law},
               {"logits",
                {{"lowest", model.lowest_logit},
                 {"highest", model.highest_logit},
                 {"bounded_by", model.bounded_by_architecture ? "architecture" : "clipping"}}},
               {"outcomes", model.outcomes},
               {"reproducible",
                "for the same build, device, precision and input file only; elsewhere sums may be rounded to "
                "another word, and a re-run is a new spend"}};
  if (!model.calibration_text.empty()) json["calibration_text_sha256"] = model.calibration_text;
  return json;
}

/// What the tokens of a document promise together.
Json document_json(const Receipt& receipt) {
  if (receipt.language_model) return text_json(receipt);
  const Guarantee& guarantee = receipt.guarantee;
  const Counts& counts = receipt.counts;
  std::string statement = "The epsilons of the tokens of a document add up.";
  if (!guarantee.unit.is_pure())
    statement =
        receipt.budget
            ? "Between texts of equal length and equal token classes: the sum over tokens of a token's "
              "epsilon times d(w, w'). The document's epsilon is the sum of its tokens', whatever "
              "distances they multiply."
            : "Between texts of equal length and equal token classes: epsilon times the sum over tokens "
              "of d(w, w').";
  if (receipt.collocations)
    statement += " This holds if " + same_segmentation(receipt) + "; between others: none.";
  const double token = guarantee.epsilon;
  return {{"statement", statement},
          {"epsilon_sum_max",
           receipt.budget ? counts.largest_epsilon : token * static_cast<double>(counts.largest_document)},
          {"epsilon_sum_mean", receipt.budget ? per(counts.epsilon_sum, static_cast<double>(counts.documents))
                                              : token * mean_per(counts.privatized, counts.documents)}};
}

Json guarantee_json(const Receipt& receipt) {
  const Guarantee& guarantee = receipt.guarantee;
  const bool holds = !receipt.seeded && guarantee.kind != GuaranteeKind::none;
  Json json;
  json["holds"] = holds;
  json["kind"] = receipt.seeded ? "none" : to_string(guarantee.kind);
  json["unit"] = {{"epsilon", guarantee.unit.is_pure() ? "pure" : "metric"},
                  {"metric", guarantee.unit.metric},
                  {"model_sha256", guarantee.unit.model}};
  json["scope"] = to_string(guarantee.scope);
  std::vector<std::string> assumptions = guarantee.assumptions;
  if (receipt.collocations) assumptions.push_back(same_segmentation(receipt));
  json["assumptions"] = assumptions;
  json["statement"] =
      receipt.seeded ? "Seeded: whoever knows the seed can undo the noise." : guarantee.statement;
  json["epsilon_per_token"] = guarantee.epsilon;
  if (receipt.certificate && !receipt.seeded)
    json["certificate"] = {{"epsilon", receipt.certificate->epsilon},
                           {"attained_epsilon", receipt.certificate->attained},
                           {"nominal_epsilon", receipt.epsilon},
                           {"sha256", receipt.certificate->sha256}};
  json["document"] = document_json(receipt);
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

Json budget_json(const BudgetReceipt& budget, const Counts& counts) {
  Json json = {{"strategy", budget.strategy}, {"document_epsilon", budget.document_epsilon}};
  if (!budget.profile.empty()) json["profile"] = budget.profile;
  json["epsilon_per_token"] = {{"smallest", counts.smallest_share},
                               {"largest", counts.largest_share},
                               {"mean", per(counts.epsilon_sum, static_cast<double>(counts.privatized))}};
  return json;
}

Json collocations_json(const CollocationsReceipt& collocations, const Counts& counts) {
  return {{"method", collocations.method},
          {"phrases_sha256", collocations.phrases_digest},
          {"phrases", collocations.phrases},
          {"input_phrases", counts.phrases},
          {"output_phrases", counts.output_phrases}};
}

/// How long documents are: of the tokens that were privatized, and the words they consist of.
Json lengths_json(const Counts& counts) {
  return {{"tokens_per_document",
           {{"largest", counts.largest_document}, {"mean", mean_per(counts.privatized, counts.documents)}}},
          {"words_per_document",
           {{"largest", counts.largest_document_words},
            {"mean", mean_per(counts.privatized_words, counts.documents)}}},
          {"words_in", counts.privatized_words},
          {"words_out", counts.output_words}};
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

/// What shows of every run.
void add_common_leaks(const Receipt& receipt, std::vector<std::string>& leaks) {
  for (const std::string& field : receipt.clear_fields)
    leaks.push_back(fmt::format("the field '{}' of each record, copied as it is", field));
  if (receipt.ledger)
    leaks.emplace_back("which records were withheld: how many words their subjects wrote before them");
  leaks.emplace_back(
      "to an observer of two runs under one key: whether a text changed (a repeat is identical)");
  leaks.emplace_back("the guarantee is computational: the noise comes from a keyed stream cipher");
}

std::vector<std::string> what_a_new_text_leaks(const Receipt& receipt) {
  std::vector<std::string> leaks;
  if (const auto length = receipt.parameters.find("length");
      length == receipt.parameters.end() || length->second == "input")
    leaks.emplace_back("how many tokens each text has at least: an output is never longer");
  if (receipt.seeded) leaks.emplace_back("everything, to whoever knows the seed: the noise is public");
  add_common_leaks(receipt, leaks);
  return leaks;
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
  phrases += other.phrases;
  output_phrases += other.output_phrases;
  privatized_words += other.privatized_words;
  output_words += other.output_words;
  largest_document_words = std::max(largest_document_words, other.largest_document_words);
  epsilon_sum = add_up(epsilon_sum, other.epsilon_sum);
  largest_epsilon = std::max(largest_epsilon, other.largest_epsilon);
  if (smallest_share == 0 || (other.smallest_share > 0 && other.smallest_share < smallest_share))
    smallest_share = other.smallest_share;
  largest_share = std::max(largest_share, other.largest_share);
  return *this;
}

std::vector<std::string> what_leaks(const Receipt& receipt) {
  const Policy& policy = receipt.policy;
  if (receipt.language_model && receipt.language_model->whole_text) return what_a_new_text_leaks(receipt);
  std::vector<std::string> leaks = {
      "the length of each document and the sequence of its token classes (word, number, punctuation)",
      "the whitespace between tokens"};
  if (receipt.collocations)
    leaks.emplace_back("how each document was cut into tokens, and how many there are");
  if (receipt.budget)
    leaks.emplace_back(receipt.budget->strategy == "words"
                           ? "the epsilon of each token, so how many words its document has"
                           : "the epsilon of each token, so how many tokens its document has");
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
  add_common_leaks(receipt, leaks);
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
  if (receipt.language_model) json["language_model"] = language_model_json(*receipt.language_model);
  if (receipt.budget) json["budget"] = budget_json(*receipt.budget, receipt.counts);
  if (receipt.collocations) json["collocations"] = collocations_json(*receipt.collocations, receipt.counts);
  if (receipt.budget || receipt.collocations) json["lengths"] = lengths_json(receipt.counts);
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
