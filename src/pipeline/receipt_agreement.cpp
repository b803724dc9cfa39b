// Whether the figures of a receipt agree. Every check holds for every run: a receipt that fails one was
// changed.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <sotto/composition.hpp>

#include "pipeline/receipt_facts.hpp"

namespace sotto::pipeline {
namespace {

// Figures were rounded up on their way into the receipt, by less than this.
constexpr double kRoundedUp = 1e-9;
// Sums of a document's or a run's shares were rounded up once per document.
constexpr double kSumRoundedUp = 1e-6;

bool is_below(double claimed, double real, double tolerance = kRoundedUp) {
  return claimed < real * (1 - tolerance);
}

bool differs(double a, double b, double tolerance = kRoundedUp) {
  return is_below(a, b, tolerance) || is_below(b, a, tolerance);
}

Result<void> check_kind(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  if (promise.holds && facts.seeded) return unsound("it promises something although the noise was public");
  if (promise.kind != "certified" && promise.kind != "analytic" && promise.kind != "none")
    return unsound(fmt::format("there is no guarantee of kind '{}'", promise.kind));
  if (promise.holds == (promise.kind == "none"))
    return unsound(fmt::format("a guarantee of kind '{}' that {}", promise.kind,
                               promise.holds ? "holds" : "does not hold"));
  if (promise.holds && (promise.kind == "certified") != promise.certificate.has_value())
    return unsound("a certificate and a guarantee of kind 'certified' go together");
  return {};
}

/// The ε of a token, which is the mechanism's or, if there is a certificate, the certificate's.
Result<void> check_token_epsilon(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  if (!promise.certificate) {
    if (is_below(promise.epsilon, facts.epsilon))
      return unsound("it promises a smaller epsilon than the mechanism had");
    if (differs(promise.epsilon, facts.epsilon))
      return unsound("the mechanism had another epsilon than the one it promises");
    return {};
  }
  const ReceiptFacts::Certificate& certificate = *promise.certificate;
  if (is_below(promise.epsilon, certificate.epsilon) || is_below(certificate.epsilon, certificate.attained))
    return unsound("it promises a smaller epsilon than its certificate");
  if (differs(promise.epsilon, certificate.epsilon))
    return unsound("its certificate has another epsilon than the one it promises");
  if (differs(certificate.nominal, facts.epsilon))
    return unsound("its certificate is about another epsilon than the mechanism had");
  return {};
}

/// The number that `text` begins with, which is removed.
double take_number(std::string_view& text) {
  double value = -1;
  const char* const end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The figures in the sentence that states the promise for a word. That for a draw of a language model has
/// none.
Result<void> check_statement(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  if (facts.language_model) return {};
  constexpr std::string_view kFactor = "by the factor exp(";
  std::string_view rest = promise.whole_statement;
  const std::size_t factor = rest.find(kFactor);
  if (factor == std::string_view::npos) return unsound("its statement names no factor");
  rest.remove_prefix(factor + kFactor.size());
  if (differs(take_number(rest), facts.epsilon))
    return unsound("its statement has another epsilon than the mechanism had");
  if (rest.starts_with(')') != promise.metric.empty())
    return unsound("its statement and its unit disagree about a distance");
  if (promise.additive > 0 &&
      rest.find(fmt::format("exp({} d + {})", facts.epsilon, promise.additive)) == std::string_view::npos)
    return unsound("its statement has another additive term than it promises");
  if (promise.certificate && rest.find(fmt::format("epsilon {} in place of {},", promise.certificate->epsilon,
                                                   facts.epsilon)) == std::string_view::npos)
    return unsound("its statement has another epsilon than its certificate");
  return {};
}

/// With a budget per document the tokens' ε differ, so their sums follow from the shares only in part.
Result<void> check_budget(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  const ReceiptFacts::Budget& budget = *facts.budget;
  if (is_below(budget.document_epsilon, promise.document_max, kSumRoundedUp))
    return unsound("a document has more epsilon than its budget");
  if (facts.counts.privatized == 0) return {};
  if (differs(budget.largest, promise.epsilon, kSumRoundedUp))
    return unsound("the largest share of a budget is not the epsilon that it promises");
  if (is_below(budget.largest, budget.mean, kSumRoundedUp) ||
      is_below(budget.mean, budget.smallest, kSumRoundedUp))
    return unsound("the mean share of a budget is not between the smallest and the largest");
  if (is_below(promise.document_max, budget.largest, kSumRoundedUp))
    return unsound("the epsilon of the largest document is less than that of a token");
  if (differs(promise.document_mean * static_cast<double>(facts.counts.documents),
              budget.mean * static_cast<double>(facts.counts.privatized), kSumRoundedUp))
    return unsound("the epsilons of the tokens do not add up to those of the documents");
  return {};
}

Result<void> check_equal_shares(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  const auto longest = static_cast<double>(facts.counts.largest_document);
  if (is_below(promise.document_max, promise.epsilon * longest))
    return unsound("the epsilon of the largest document is less than the sum of its tokens'");
  if (differs(promise.document_max, promise.epsilon * longest))
    return unsound("the epsilon of the largest document is not the sum of its tokens'");
  if (differs(promise.document_mean * static_cast<double>(facts.counts.documents),
              promise.epsilon * static_cast<double>(facts.counts.privatized)))
    return unsound("the epsilons of the tokens do not add up to those of the documents");
  return {};
}

Result<void> check_document_epsilon(const ReceiptFacts& facts) {
  const ReceiptFacts::Promise& promise = facts.promise;
  SOTTO_TRY(facts.budget ? check_budget(facts) : check_equal_shares(facts));
  if (is_below(promise.document_max, promise.document_mean))
    return unsound("the mean epsilon of the documents exceeds the largest");
  if (differs(promise.document_additive,
              promise.additive * static_cast<double>(facts.counts.largest_document)))
    return unsound("the additive term of the largest document is not the sum of its tokens'");
  if (promise.record_max && is_below(*promise.record_max, promise.document_max, kSumRoundedUp))
    return unsound("the epsilon of the largest record is less than that of a document");
  if (!promise.concentrated) return {};
  const auto epsilon = epsilon_for_delta(promise.concentrated->rho, promise.concentrated->delta);
  if (!epsilon || differs(promise.concentrated->epsilon, *epsilon, kSumRoundedUp))
    return unsound("the epsilon at delta does not follow from rho");
  return {};
}

/// What two texts must share follows from the policy.
Result<void> check_adjacency(const ReceiptFacts& facts) {
  const Policy& policy = facts.policy;
  const std::vector<std::string>& shared = facts.promise.adjacency;
  const std::pair<SharedTrait, bool> traits[] = {
      {SharedTrait::kept_words, policy.stopwords == StopwordPolicy::keep || policy.oov == OovPolicy::keep},
      {SharedTrait::dropped_words, policy.oov == OovPolicy::drop},
      {SharedTrait::kept_numbers, policy.numbers == NumberPolicy::keep},
      {SharedTrait::letter_case, policy.letter_case == CasePolicy::keep}};
  for (const auto& [trait, is_shared] : traits)
    if ((std::find(shared.begin(), shared.end(), to_string(trait)) != shared.end()) != is_shared)
      return unsound(
          fmt::format("its policy and what two texts must share disagree about: {}", to_string(trait)));
  return {};
}

/// Each number has the fate that the policy gives it, and so has punctuation.
Result<void> check_numbers(const ReceiptFacts& facts) {
  const ReceiptFacts::CountsShown& c = facts.counts;
  const Policy& policy = facts.policy;
  if (c.randomized_numbers != (policy.numbers == NumberPolicy::random ? c.numbers : 0) ||
      c.clear_numbers != (policy.numbers == NumberPolicy::keep ? c.numbers : 0))
    return unsound(
        fmt::format("its counts are not those of numbers under the policy '{}'", to_string(policy.numbers)));
  if (c.clear_punctuation != (policy.punctuation == PunctuationPolicy::keep ? c.punctuation : 0))
    return unsound(fmt::format("its counts are not those of punctuation under the policy '{}'",
                               to_string(policy.punctuation)));
  return {};
}

/// A masked language model may draw several times for a word, or not at all.
Result<void> check_words(const ReceiptFacts& facts) {
  const ReceiptFacts::CountsShown& c = facts.counts;
  const Policy& policy = facts.policy;
  if (policy.stopwords != StopwordPolicy::keep && c.clear_stopwords > 0)
    return unsound("stopwords passed unchanged although the policy privatizes them");
  if (policy.oov != OovPolicy::keep && c.clear_oov > 0)
    return unsound("words outside the vocabulary passed unchanged although the policy does not keep them");
  const std::uint64_t others =
      (c.numbers - c.randomized_numbers - c.clear_numbers) + (c.punctuation - c.clear_punctuation);
  if (c.dropped < others || (policy.oov != OovPolicy::drop && c.dropped != others))
    return unsound("the number of dropped tokens is not what the policy drops");
  const std::uint64_t not_drawn = c.clear_stopwords + c.clear_oov + (c.dropped - others);
  if (not_drawn > c.words || (!facts.language_model && c.privatized != c.words - not_drawn))
    return unsound("its counts of words do not add up");
  return {};
}

/// What a parameter says unless it leaves the choice to the model.
bool is_chosen(const ReceiptFacts& facts, std::string_view parameter, std::string_view used) {
  return std::all_of(facts.parameters.begin(), facts.parameters.end(), [&](const auto& given) {
    return given.first != parameter || given.second == "auto" || given.second == used;
  });
}

Result<void> check_draws(const ReceiptFacts& facts) {
  if (!facts.mode.empty() && !is_chosen(facts, "mode", facts.mode))
    return unsound("its draws were made in another mode than the parameter says");
  if (!facts.wander) return {};
  if (*facts.wander > 1) return unsound("its wander is more than 1");
  if (!is_chosen(facts, "wander", fmt::format("{}", *facts.wander)))
    return unsound("its wander is not that of the parameter");
  return {};
}

Result<void> check_counts(const ReceiptFacts& facts) {
  const ReceiptFacts::CountsShown& c = facts.counts;
  if (c.largest_document > c.privatized ||
      is_below(static_cast<double>(c.documents) * static_cast<double>(c.largest_document),
               static_cast<double>(c.privatized)))
    return unsound("the documents and the largest of them do not make up the number of privatized tokens");
  if (!c.has_tokens) return {};
  SOTTO_TRY(check_numbers(facts));
  return check_words(facts);
}

}  // namespace

Result<void> check_agreement(const ReceiptFacts& facts) {
  SOTTO_TRY(check_kind(facts));
  SOTTO_TRY(check_counts(facts));
  SOTTO_TRY(check_draws(facts));
  if (!facts.promise.holds) return {};
  SOTTO_TRY(check_token_epsilon(facts));
  SOTTO_TRY(check_statement(facts));
  SOTTO_TRY(check_document_epsilon(facts));
  return facts.counts.has_tokens ? check_adjacency(facts) : Result<void>{};
}

}  // namespace sotto::pipeline
