#include "privatize_summary.hpp"

#include <fmt/format.h>

#include <sotto/attacker_success.hpp>
#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

// A warning about fewer would be about a few names or links.
constexpr std::uint64_t kFewestWords = 20;

std::string what_was_done(const Receipt& receipt) {
  const Counts& c = receipt.counts;
  std::string text;
  if (receipt.kind == MechanismKind::generated) {
    text =
        fmt::format("{} regenerated with at most {} draws", counted(c.documents, "document"), c.privatized);
  } else {
    const double share = c.privatized > 0 ? 100.0 * static_cast<double>(c.statistics.changed) /
                                                static_cast<double>(c.privatized)
                                          : 0.0;
    text = fmt::format("{}, {} {} privatized ({:.1f}% changed), {} passed in clear",
                       counted(c.documents, "document"), c.privatized,
                       receipt.collocations ? "words and phrases" : "words", share,
                       c.clear_stopwords + c.clear_oov + c.clear_numbers);
  }
  if (c.withheld > 0) text += fmt::format(", {} records withheld", c.withheld);
  if (c.skipped > 0)
    text +=
        fmt::format(", {} {} left out for want of a field", c.skipped, c.skipped == 1 ? "record" : "records");
  if (receipt.collocations) text += fmt::format(", {} as phrases", c.statistics.phrases);
  return text;
}

}  // namespace

std::string what_is_promised(const Receipt& receipt) {
  const Guarantee& guarantee = receipt.guarantee;
  if (guarantee.kind == GuaranteeKind::none) return "no guarantee";
  std::string kind = to_string(guarantee.kind);
  if (guarantee.scope != GuaranteeScope::all_inputs) kind += fmt::format(" ({})", to_string(guarantee.scope));
  const std::string metric =
      guarantee.unit.is_pure() ? "" : " times " + readable_metric(guarantee.unit.metric);
  const Counts& c = receipt.counts;
  if (receipt.kind != MechanismKind::word_by_word)
    return fmt::format("{} guarantee, epsilon {} per draw, at most {:.6g} per text", kind, guarantee.epsilon,
                       guarantee.epsilon * static_cast<double>(c.largest_document));
  if (receipt.budget)
    return fmt::format("{} guarantee, epsilon at most {:.6g} per document, {:.4g} to {:.4g} per token{}",
                       kind, c.largest_epsilon, c.smallest_share, c.largest_share, metric);
  return fmt::format("{} guarantee, epsilon {} per token{}", kind, guarantee.epsilon, metric);
}

std::string summary(const Receipt& receipt) {
  if (receipt.seeded) return what_was_done(receipt) + "; seeded: not private";
  const auto attacker = attacker_success(receipt);
  return fmt::format("{}; {}{} (for the operator: these counts are not covered by the guarantee)",
                     what_was_done(receipt), what_is_promised(receipt),
                     attacker ? "; " + describe(*attacker) : "");
}

std::string vocabulary_warning(const Receipt& receipt) {
  const Counts& counts = receipt.counts;
  const std::uint64_t outside = counts.statistics.outside() + counts.clear_oov;
  if (counts.words < kFewestWords || 2 * outside <= counts.words) return {};
  return fmt::format(
      "{:.0f}% of the words are outside the vocabulary of {}; is this text in another language or encoding? "
      "(for the operator: this share is not covered by the guarantee)",
      100.0 * static_cast<double>(outside) / static_cast<double>(counts.words), receipt.model);
}

}  // namespace sotto::cli
