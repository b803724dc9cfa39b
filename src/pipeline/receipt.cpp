#include <algorithm>

#include <sotto/composition.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/version.hpp>

#include "base/json.hpp"
#include "pipeline/receipt_version.hpp"
#include "privacy/rounding.hpp"
#include "random/document_stream.hpp"

namespace sotto {
using namespace pipeline;
namespace {

constexpr int kStatisticsVersion = 1;

double per(double amount, double count) {
  return count > 0 ? amount / count : 0;
}

double mean_per(std::uint64_t amount, std::uint64_t count) {
  return per(static_cast<double>(amount), static_cast<double>(count));
}

/// The (ε, δ) that bounded range gives for the longest text, next to the sum of its draws' ε.
nlohmann::ordered_json zcdp_json(const Receipt& receipt) {
  Composition composition;
  if (!composition.add(receipt.guarantee, receipt.counts.largest_document) || composition.losses().empty())
    return nullptr;
  const std::optional<double> rho = composition.losses().front().rho;
  if (!rho) return nullptr;
  const double delta = receipt.language_model->delta;
  const auto epsilon = epsilon_for_delta(*rho, delta);
  if (!epsilon) return nullptr;
  return {{"rho_max", *rho}, {"delta", delta}, {"epsilon_max", *epsilon}};
}

nlohmann::ordered_json language_model_json(const LanguageModelReceipt& model) {
  nlohmann::ordered_json json = {
      {"device", model.device},
      {"precision", model.precision},
      {"law", model.law},
      {"logits",
       {{"lowest", model.lowest_logit},
        {"highest", model.highest_logit},
        {"bounded_by", model.bounded_by_architecture ? "architecture" : "clipping"}}},
      {"outcomes", model.outcomes},
      {"reproducible",
       model.same_everywhere
           ? "on every processor: the same key, input and version give the same output"
           : "for the same build, device, precision and input file only; elsewhere sums may be rounded to "
             "another word, and a re-run is a new spend"}};
  if (!model.mode.empty()) json["mode"] = model.mode;
  if (model.wander) json["wander"] = *model.wander;
  if (!model.calibration_text.empty()) json["calibration_text_sha256"] = model.calibration_text;
  return json;
}

/// What the tokens of one document guarantee together, in words, if each is privatized by itself.
std::string word_by_word_statement(const Receipt& receipt) {
  if (receipt.guarantee.unit.is_pure()) return "The epsilons of the tokens of a document add up.";
  std::string statement =
      receipt.budget
          ? "The sum over tokens of a token's epsilon times d(w, w'). The document's epsilon is the "
            "sum of its tokens', whatever distances they multiply."
          : "Epsilon times the sum over tokens of d(w, w').";
  if (receipt.policy.oov == OovPolicy::nearest)
    statement += " Tokens outside the vocabulary count as the words they are mapped to.";
  if (receipt.guarantee.additive > 0)
    statement += " The additive term counts once for each token that differs.";
  return statement;
}

/// The same for any mechanism.
std::string document_statement(const Receipt& receipt) {
  switch (receipt.kind) {
    case MechanismKind::masked:
      return "The epsilons of all draws of a text add up, because each draw reads the whole text: also "
             "where two texts differ in one word.";
    case MechanismKind::generated:
      return "The epsilons of all draws that a text may have add up.";
    case MechanismKind::word_by_word:
      break;
  }
  return word_by_word_statement(receipt);
}

/// A sum of ε over draws, with the additive term if there is one.
nlohmann::ordered_json sum_json(const Receipt& receipt, const std::string& statement, std::uint64_t draws,
                                double budgeted) {
  const auto count = static_cast<double>(draws);
  nlohmann::ordered_json json = {
      {"statement", statement},
      {"epsilon_sum_max",
       receipt.budget ? budgeted : privacy::multiply_up(receipt.guarantee.epsilon, count)}};
  if (receipt.guarantee.additive > 0)
    json["additive_sum_max"] = privacy::multiply_up(receipt.guarantee.additive, count);
  return json;
}

/// What the tokens of a document guarantee together.
nlohmann::ordered_json document_json(const Receipt& receipt) {
  const Counts& counts = receipt.counts;
  nlohmann::ordered_json json =
      sum_json(receipt, document_statement(receipt) + " This holds between texts that share the adjacency.",
               counts.largest_document, counts.largest_epsilon);
  const double mean =
      receipt.budget ? privacy::round_up(per(counts.epsilon_sum, static_cast<double>(counts.documents)))
                     : privacy::multiply_up(receipt.guarantee.epsilon,
                                            privacy::round_up(mean_per(counts.privatized, counts.documents)));
  json["epsilon_sum_mean"] = std::min(mean, json["epsilon_sum_max"].get<double>());
  if (!receipt.language_model) return json;
  if (nlohmann::ordered_json zcdp = zcdp_json(receipt); !zcdp.is_null()) json["zcdp"] = zcdp;
  return json;
}

/// Whether a record promises less than its largest document: one field of a JSON record may hold several.
bool records_add_up(const Receipt& receipt) {
  const Counts& counts = receipt.counts;
  return receipt.fields.size() > 1 || counts.largest_record > counts.largest_document ||
         counts.largest_record_epsilon > counts.largest_epsilon;
}

nlohmann::ordered_json unit_json(const PrivacyUnit& unit) {
  return {
      {"epsilon", unit.is_pure() ? "pure" : "metric"}, {"metric", unit.metric}, {"model_digest", unit.model}};
}

/// A guarantee of kind none has no figures, because they would bound nothing.
nlohmann::ordered_json guarantee_json(const Receipt& receipt) {
  const Guarantee& guarantee = receipt.guarantee;
  const bool holds = !receipt.seeded && guarantee.kind != GuaranteeKind::none;
  nlohmann::ordered_json json = {{"holds", holds}, {"kind", holds ? to_string(guarantee.kind) : "none"}};
  json["statement"] =
      receipt.seeded ? "Seeded: whoever knows the seed can undo the noise." : guarantee.statement;
  if (!holds) return json;
  json["unit"] = unit_json(guarantee.unit);
  json["scope"] = to_string(guarantee.scope);
  json["adjacency"] = nlohmann::ordered_json::array();
  for (const SharedTrait trait : guarantee.adjacency) json["adjacency"].push_back(to_string(trait));
  json["assumptions"] = guarantee.assumptions;
  json["epsilon_per_token"] = guarantee.epsilon;
  if (guarantee.additive > 0) json["additive_per_token"] = guarantee.additive;
  if (receipt.certificate)
    json["certificate"] = {{"epsilon", receipt.certificate->epsilon},
                           {"attained_epsilon", receipt.certificate->attained},
                           {"nominal_epsilon", receipt.epsilon},
                           {"sha256", receipt.certificate->sha256}};
  json["document"] = document_json(receipt);
  if (records_add_up(receipt))
    json["record"] = sum_json(receipt, "The fields of a record add up.", receipt.counts.largest_record,
                              receipt.counts.largest_record_epsilon);
  return json;
}

nlohmann::ordered_json counts_json(const Receipt& receipt) {
  const Counts& counts = receipt.counts;
  nlohmann::ordered_json json = {{"documents", counts.documents},
                                 {"privatized", counts.privatized},
                                 {"largest_document", counts.largest_document}};
  if (records_add_up(receipt)) json["largest_record"] = counts.largest_record;
  json["withheld"] = counts.withheld;
  if (counts.repeated > 0) json["repeated"] = counts.repeated;
  if (counts.skipped > 0) json["skipped"] = counts.skipped;
  // A text written anew does not show the token classes of the original.
  if (receipt.kind == MechanismKind::generated) return json;
  json["tokens"] = {{"word", counts.words}, {"number", counts.numbers}, {"punctuation", counts.punctuation}};
  json["randomized_numbers"] = counts.randomized_numbers;
  json["passed_in_clear"] = {{"stopwords", counts.clear_stopwords},
                             {"out_of_vocabulary", counts.clear_oov},
                             {"numbers", counts.clear_numbers},
                             {"punctuation", counts.clear_punctuation}};
  json["dropped"] = counts.dropped;
  return json;
}

nlohmann::ordered_json budget_json(const BudgetReceipt& budget, const Counts& counts) {
  nlohmann::ordered_json json = {{"strategy", budget.strategy},
                                 {"document_epsilon", budget.document_epsilon}};
  if (!budget.profile.empty()) json["profile"] = budget.profile;
  json["epsilon_sum"] = counts.epsilon_sum;
  json["epsilon_per_token"] = {{"smallest", counts.smallest_share},
                               {"largest", counts.largest_share},
                               {"mean", per(counts.epsilon_sum, static_cast<double>(counts.privatized))}};
  return json;
}

nlohmann::ordered_json collocations_json(const CollocationsReceipt& collocations) {
  return {{"method", collocations.method},
          {"phrases_digest", collocations.phrases_digest},
          {"phrases", collocations.phrases}};
}

/// How the privatized tokens entered the mechanism.
nlohmann::ordered_json paths_json(const Counts& counts) {
  const Statistics& statistics = counts.statistics;
  return {{"vocabulary", counts.privatized - statistics.outside()},
          {"folded", statistics.folded},
          {"corrected", statistics.corrected},
          {"subword", statistics.subword},
          {"uniform", statistics.uniform},
          {"bottom", statistics.bottom}};
}

nlohmann::ordered_json ledger_json(const LedgerReceipt& ledger) {
  nlohmann::ordered_json json = {{"id", ledger.id},
                                 {"subject_field", ledger.subject_field},
                                 {"unit", ledger.unit},
                                 {"limit", ledger.limit},
                                 {"head", ledger.head}};
  if (!ledger.other_heads.empty()) json["other_heads"] = ledger.other_heads;
  return json;
}

}  // namespace

std::string to_json(const Receipt& receipt) {
  nlohmann::ordered_json json;
  json["sotto"] = kVersion;
  json["versions"] = {{"receipt", kReceiptVersion},
                      {"tokenizer", kTokenizerVersion},
                      {"policy", kPolicyVersion},
                      {"stream", random::kStreamVersion}};
  json["seeded"] = receipt.seeded;
  if (receipt.seeded) json["warning"] = "seeded: not private";
  json["mechanism"] = {
      {"name", receipt.mechanism}, {"epsilon", receipt.epsilon}, {"parameters", receipt.parameters}};
  if (receipt.epsilon_chosen_on != EpsilonBasis::unstated)
    json["epsilon_chosen_on"] = to_string(receipt.epsilon_chosen_on);
  json["model"] = {{"name", receipt.model}, {"digest", receipt.model_digest}};
  json["guarantee"] = guarantee_json(receipt);
  if (receipt.language_model) json["language_model"] = language_model_json(*receipt.language_model);
  if (receipt.budget) json["budget"] = budget_json(*receipt.budget, receipt.counts);
  if (receipt.collocations) json["collocations"] = collocations_json(*receipt.collocations);
  json["policy"] = {{"stopwords", to_string(receipt.policy.stopwords)},
                    {"oov", to_string(receipt.policy.oov)},
                    {"numbers", to_string(receipt.policy.numbers)},
                    {"punctuation", to_string(receipt.policy.punctuation)},
                    {"case", to_string(receipt.policy.letter_case)},
                    {"articles", to_string(receipt.policy.articles)}};
  if (!receipt.word_map_digest.empty()) json["word_map"] = {{"digest", receipt.word_map_digest}};
  if (!receipt.word_forms_digest.empty()) json["word_forms"] = {{"digest", receipt.word_forms_digest}};
  json["input"] = {{"dataset", receipt.dataset}, {"format", receipt.format}, {"fields", receipt.fields}};
  if (!receipt.delimiter.empty()) json["input"]["delimiter"] = receipt.delimiter;
  json["configuration_sha256"] = receipt.configuration_digest;
  json["counts"] = counts_json(receipt);
  if (receipt.ledger) json["ledger"] = ledger_json(*receipt.ledger);
  json["leaks"] = what_leaks(receipt);
  return base::json_text(json);
}

std::string statistics_json(const Receipt& receipt) {
  const Counts& counts = receipt.counts;
  const Statistics& statistics = counts.statistics;
  const auto tokens = static_cast<double>(counts.words + counts.numbers + counts.punctuation);
  nlohmann::ordered_json json = {{"confidential", "not covered by the guarantee"},
                                 {"sotto", kVersion},
                                 {"versions", {{"statistics", kStatisticsVersion}}},
                                 {"configuration_sha256", receipt.configuration_digest},
                                 {"bytes_in", statistics.bytes_in},
                                 {"invalid_utf8_replaced", statistics.invalid_utf8},
                                 {"tokens", {{"other", statistics.others}}},
                                 {"privatized",
                                  {{"tokens", counts.privatized},
                                   {"changed", statistics.changed},
                                   {"outside_vocabulary", statistics.outside()}}}};
  if (receipt.kind == MechanismKind::word_by_word) json["privatized"]["paths"] = paths_json(counts);
  if (receipt.collocations)
    json["phrases"] = {{"in", statistics.phrases}, {"out", statistics.output_phrases}};
  json["words"] = {{"in", statistics.privatized_words},
                   {"out", statistics.output_words},
                   {"largest_document", statistics.largest_document_words}};
  if (receipt.ledger)
    json["ledger"] = {{"charged_documents", receipt.ledger->charged_documents},
                      {"repeated_documents", receipt.ledger->repeated_documents},
                      {"entries", receipt.ledger->entries}};
  json["seconds"] = receipt.seconds;
  json["tokens_per_second"] = per(tokens, receipt.seconds);
  return base::json_text(json);
}

}  // namespace sotto
