#include "comparison_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

namespace sotto::cli {
namespace {

constexpr std::size_t kWordColumn = 20;
constexpr double kReadableLoss = 20;  // e^20 is half a billion; greater factors say more as a power

std::string named(const std::string& word, bool in_vocabulary, const std::optional<WordEntry>& entry) {
  if (in_vocabulary) return visible_text(word);
  return fmt::format("{} ({})", visible_text(word),
                     entry ? entry_text(*entry) : "not among the words that are drawn");
}

/// Empty if the mechanism sees two inputs.
std::string same_input(const WordComparison& c) {
  if (!c.first_entry || !c.second_entry || c.first_entry->word != c.second_entry->word) return "";
  const WordEntry& entry =
      *c.first_entry;  // one comparison has either ⊙ or ⊥, so two empty words are one input
  return fmt::format("  both {}: no output tells them apart, whatever epsilon is\n",
                     entry.path == EntryPath::uniform  ? "have no meaningful place"
                     : entry.path == EntryPath::bottom ? "enter as ⊥"
                                                       : "enter as '" + visible_text(entry.word) + "'");
}

/// "2.718", or "e^53.2" where the number itself means nothing to anyone.
std::string factor(double loss) {
  if (std::isinf(loss)) return "unbounded";
  return loss > kReadableLoss ? fmt::format("e^{:.4g}", loss) : fmt::format("{:.4g}", std::exp(loss));
}

/// How sure someone can be afterwards who held the two words equally likely before.
std::string certainty_after(double loss) {
  if (std::isinf(loss)) return "100%";
  const double percent = 100 / (1 + std::exp(-loss));
  return percent > 99.99 ? ">99.99%" : fmt::format("{:.2f}%", percent);
}

std::string distance_text(double distance) {
  return std::isinf(distance) ? "none" : fmt::format("{:.6g}", distance);
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return text + std::string(width > used ? width - used : 0, ' ');
}

/// Whether the distance at which the metric is truncated depends on ε.
bool limit_varies(const WordComparison& c) {
  return std::any_of(c.pairs.begin(), c.pairs.end(), [&](const WordPair& pair) {
    return pair.largest_distance != c.pairs.front().largest_distance;
  });
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// A sentence or a metric of the guarantee, which is that of the first ε, as it reads for all of them.
std::string for_every_epsilon(const WordComparison& c, std::string text) {
  text = readable_metric(text);
  if (c.pairs.size() == 1) return text;
  const WordPair& first = c.pairs.front();
  if (c.guarantee.kind == GuaranteeKind::none) return fmt::format("At epsilon {:g}: {}", first.epsilon, text);
  text = replaced(text, readable_metric(fmt::format("exp({}", first.epsilon)), "exp(epsilon");
  if (!limit_varies(c)) return text;
  return replaced(text, readable_metric(fmt::format("{}", first.largest_distance)), "gamma");
}

std::string typical_line(const WordComparison& c) {
  if (!c.typical) return "";
  return fmt::format(
      "  typical distances{}: {:.6g} to the nearest word, {:.6g} between two words (medians over {} words "
      "and {} pairs)\n",
      limit_varies(c) ? fmt::format(" at epsilon {:g}", c.pairs.front().epsilon) : "",
      c.typical->nearest_neighbour, c.typical->random_pair, c.typical->words, c.typical->pairs);
}

std::string factor_table(const WordComparison& c) {
  const bool shows_limit = limit_varies(c);
  const auto limit_column = [&](const std::string& limit) {
    return shows_limit ? fmt::format("  {:>10}", limit) : "";
  };
  std::string text =
      fmt::format("  {:>10}{}  {:>10}  {:>12}  {:>9}  {:>12}  {}\n", "epsilon", limit_column("gamma"), "d",
                  "promised", "a guess", "observed", "most telling output");
  bool sampled = false;
  for (const WordPair& pair : c.pairs) {
    sampled = sampled || pair.draws > 0;
    const std::string observed = (pair.draws > 0 ? ">=" : "") + factor(pair.observed_loss);
    text += fmt::format("  {:>10.6g}{}  {:>10}  {:>12}  {:>9}  {:>12}  {}\n", pair.epsilon,
                        limit_column(distance_text(pair.largest_distance)), distance_text(pair.distance),
                        factor(pair.promised_loss), certainty_after(pair.promised_loss), observed,
                        visible_text(pair.telling_output));
  }
  text +=
      "  promised, observed: how many times as likely an output is for one word as for the other, at most\n"
      "  a guess: how sure one can be at most who held both words equally likely before\n";
  if (shows_limit) text += "  gamma: the largest distance that counts at this epsilon\n";
  if (sampled)
    text += "  observed factors are estimates from draws: at least so large, with 95% confidence\n";
  return text;
}

std::string distributions(const WordPair& pair) {
  std::string text = fmt::format("\n  epsilon {:.6g}\n  {} {:>12} {:>12}  times as likely\n", pair.epsilon,
                                 padded("output", kWordColumn), "first", "second");
  for (const PairedOutcome& outcome : pair.outcomes) {
    const auto [low, high] = std::minmax(outcome.first, outcome.second);
    const std::string times = high == 0 ? "" : factor(low > 0 ? std::log(high / low) : INFINITY);
    const char* const whose = outcome.first == outcome.second  ? ""
                              : outcome.first > outcome.second ? " (first)"
                                                               : " (second)";
    text += fmt::format("  {} {:>12.6f} {:>12.6f}  {}{}\n", padded(visible_text(outcome.word), kWordColumn),
                        outcome.first, outcome.second, times, whose);
  }
  if (pair.draws > 0) text += fmt::format("  estimated from {} draws per word\n", pair.draws);
  return text;
}

}  // namespace

std::string entry_text(const WordEntry& entry) {
  switch (entry.path) {
    case EntryPath::vocabulary:
      return "a word of the model";
    case EntryPath::uniform:
      return "not a word of the model, without a meaningful place: its place is drawn uniformly";
    case EntryPath::bottom:
      return "not a word of the model; enters as ⊥, like all such words";
    default:
      return fmt::format("not a word of the model; enters as '{}' ({})", visible_text(entry.word),
                         to_string(entry.path));
  }
}

std::string comparison_text(const WordComparison& c) {
  std::string text = fmt::format(
      "{} and {} under {} in {}\n", named(c.first, c.first_in_vocabulary, c.first_entry),
      named(c.second, c.second_in_vocabulary, c.second_entry), c.mechanism, visible_text(c.model));
  if (c.place)
    text += fmt::format("  in place of word {} of: {}\n", c.place->word, visible_text(c.place->text));
  text += same_input(c);
  text += fmt::format("  guarantee: {}. {}\n", to_string(c.guarantee.kind),
                      visible_text(for_every_epsilon(c, c.guarantee.statement)));
  text += fmt::format("  d: {}\n", c.guarantee.kind == GuaranteeKind::none ? "nothing is promised"
                                   : c.guarantee.unit.is_pure()
                                       ? "1 for any two inputs with a promise between them (pure epsilon)"
                                       : visible_text(for_every_epsilon(c, c.guarantee.unit.metric)));
  text += typical_line(c) + '\n' + factor_table(c);
  for (const WordPair& pair : c.pairs) text += distributions(pair);
  return text;
}

}  // namespace sotto::cli
