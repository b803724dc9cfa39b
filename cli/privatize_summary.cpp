#include "privatize_summary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/attacker_success.hpp>
#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

// A warning about fewer would be about a few names or links.
constexpr std::uint64_t kFewestWords = 20;

std::string changed_share(const Counts& counts) {
  if (counts.privatized == 0) return {};
  return fmt::format(" ({:.1f}% changed)", 100.0 * static_cast<double>(counts.statistics.changed) /
                                               static_cast<double>(counts.privatized));
}

/// Rounded up to what people read.
std::string readable_epsilon(double epsilon) {
  return readable_metric(fmt::format("{}", epsilon));
}

/// Such as " times Euclidean distance of the vectors (a distance counts as at most 2.5)".
std::string times_distance(const PrivacyUnit& unit) {
  if (unit.is_pure()) return {};
  constexpr std::string_view kLimit = ", at most ";
  std::string metric = readable_metric(unit.metric);
  const std::size_t begin = metric.find(kLimit);
  if (begin == std::string::npos) return " times " + metric;
  const std::size_t end = std::min(metric.find(',', begin + 1), metric.size());
  const std::string limit = metric.substr(begin + kLimit.size(), end - begin - kLimit.size());
  metric.erase(begin, end - begin);
  return fmt::format(" times {} (a distance counts as at most {})", metric, limit);
}

std::string what_was_done(const Receipt& receipt) {
  const Counts& c = receipt.counts;
  std::string text;
  if (receipt.kind == MechanismKind::generated) {
    text =
        fmt::format("{} regenerated with at most {} draws", counted(c.documents, "document"), c.privatized);
  } else {
    text = fmt::format("{}, {} {} privatized{}, {} passed in clear", counted(c.documents, "document"),
                       c.privatized, receipt.collocations ? "words and phrases" : "words", changed_share(c),
                       c.clear_stopwords + c.clear_oov + c.clear_numbers);
  }
  if (c.withheld > 0) text += fmt::format(", {} records withheld", c.withheld);
  if (c.repeated > 0) text += fmt::format(", {} records refused as repeats", c.repeated);
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
  const std::string metric = times_distance(guarantee.unit);
  const Counts& c = receipt.counts;
  if (receipt.kind != MechanismKind::word_by_word)
    return fmt::format("{} guarantee, epsilon {} per draw, at most {} per text", kind,
                       readable_epsilon(guarantee.epsilon),
                       readable_epsilon(guarantee.epsilon * static_cast<double>(c.largest_document)));
  if (receipt.budget)
    return fmt::format("{} guarantee, epsilon at most {} per document, {:.4g} to {:.4g} per token{}", kind,
                       readable_epsilon(c.largest_epsilon), c.smallest_share, c.largest_share, metric);
  return fmt::format("{} guarantee, epsilon {} per token{}", kind, readable_epsilon(guarantee.epsilon),
                     metric);
}

std::vector<std::string> summary(const Receipt& receipt) {
  if (receipt.seeded) return {what_was_done(receipt), "seeded: not private"};
  std::vector<std::string> lines = {what_was_done(receipt), what_is_promised(receipt)};
  if (const auto attacker = attacker_success(receipt); attacker && receipt.counts.privatized > 0)
    lines.push_back(describe(*attacker));
  lines.emplace_back("for the operator: these counts are not covered by the guarantee");
  return lines;
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
