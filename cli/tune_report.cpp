#include "tune_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "error_line.hpp"
#include "shell_words.hpp"

namespace sotto::cli {
namespace {

constexpr int kPlotWidth = 60;
constexpr int kPlotHeight = 16;

const char* objective_name(const TuneReport& report) {
  return report.objective == TuneObjective::inference_error ? "E_M" : "best-guess error";
}

std::string figure(const Estimate& estimate, bool exact) {
  if (exact) return fmt::format("{:.4f}", estimate.value);
  return fmt::format("{:.4f} ±{:.4f}", estimate.value,
                     std::max(estimate.high - estimate.value, estimate.value - estimate.low));
}

/// The command that runs what was measured: same mechanism, parameters, ε to the last digit, and model.
std::string command_of(const TradeOff& point) {
  std::string command =
      fmt::format("sotto privatize --mechanism {} --epsilon {}", point.mechanism, point.epsilon);
  for (const auto& [key, value] : point.parameters)
    command += fmt::format(" --set {}", shell_word(fmt::format("{}={}", key, value)));
  if (!point.model.empty()) command += fmt::format(" --model {}", shell_word(point.model));
  return command;
}

/// What ε means where it does not mean the same for all mechanisms.
std::string units(const TuneReport& report) {
  std::map<std::string, std::vector<std::string>> mechanisms;
  for (const TradeOff& point : report.points) {
    std::vector<std::string>& names = mechanisms[point.unit];
    if (!point.refusal && std::find(names.begin(), names.end(), point.mechanism) == names.end())
      names.push_back(point.mechanism);
  }
  std::erase_if(mechanisms, [](const auto& entry) { return entry.second.empty(); });
  if (mechanisms.size() < 2) return {};
  std::string text = "\n  These epsilons are in different units, so compare E_M and L_M, never epsilon:\n";
  for (const auto& [unit, names] : mechanisms)
    text += fmt::format("    {}: {}\n", fmt::join(names, ", "), unit);
  return text;
}

std::string remark(const TuneReport& report, std::size_t i, const std::set<std::size_t>& frontier) {
  const TradeOff& point = report.points[i];
  std::string text;
  if (report.choice == i) text += "chosen  ";
  if (frontier.contains(i)) text += "frontier  ";
  if (point.utility_loss.value <= report.largest_loss && point.utility_loss.high > report.largest_loss)
    text += "limit within the interval  ";
  if (point.guarantee == GuaranteeKind::none) text += "no guarantee  ";
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string table(const TuneReport& report, bool all) {
  const std::set<std::size_t> frontier(report.frontier.begin(), report.frontier.end());
  std::vector<std::size_t> shown = report.frontier;
  if (all) {
    shown.resize(report.points.size());
    for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  }
  std::size_t width = 9;
  for (const std::size_t i : shown) width = std::max(width, report.points[i].name().size());
  std::string text = fmt::format("  {:<{}}  {:>8}  {:<15}  {:<15}  {:<15}  {}\n", "mechanism", width,
                                 "epsilon", "E_M", "best guess", "L_M", "");
  for (const std::size_t i : shown) {
    const TradeOff& point = report.points[i];
    if (point.refusal) {
      text += fmt::format("  {:<{}}  {:>8g}  {}\n", point.name(), width, point.epsilon,
                          error_line(*point.refusal));
      continue;
    }
    text +=
        fmt::format("  {:<{}}  {:>8g}  {:<15}  {:<15}  {:<15}  {}\n", point.name(), width, point.epsilon,
                    figure(point.inference_error, point.exact), figure(point.best_guess_error, point.exact),
                    figure(point.utility_loss, point.exact), remark(report, i, frontier));
  }
  return text;
}

/// Characters on a grid; later drawing overwrites earlier drawing.
class Canvas {
 public:
  Canvas(double right, double low, double high) : right_(right), low_(low), high_(high) {
    rows_.assign(kPlotHeight, std::string(kPlotWidth, ' '));
  }

  void mark(double x, double y, char sign) { rows_[row_of(y)][column_of(x)] = sign; }
  void bar(double x) {
    if (x > right_) return;
    for (std::string& row : rows_) row[column_of(x)] = '|';
  }

  std::string text() const {
    std::string text;
    for (int r = 0; r < kPlotHeight; ++r) {
      const bool labelled = r == 0 || r == kPlotHeight - 1;
      text += fmt::format("  {:>7} |{}\n", labelled ? fmt::format("{:.3f}", r == 0 ? high_ : low_) : "",
                          rows_[r]);
    }
    return text + fmt::format("          +{:-<{}}\n           {:<{}}{:>8.3f}\n", "", kPlotWidth, "0",
                              kPlotWidth - 8, right_);
  }

 private:
  std::size_t column_of(double x) const { return place_of(x / right_, kPlotWidth); }
  std::size_t row_of(double y) const { return place_of((high_ - y) / (high_ - low_), kPlotHeight); }

  /// The nearest of `count` positions evenly spaced from 0 to 1.
  static std::size_t place_of(double share, int count) {
    const double last = count - 1;
    return static_cast<std::size_t>(std::lround(std::clamp(share * last, 0.0, last)));
  }

  double right_;
  double low_;
  double high_;
  std::vector<std::string> rows_;
};

std::string plot(const TuneReport& report) {
  double right = 0;
  double low = 1;
  double high = 0;
  for (const TradeOff& point : report.points) {
    if (point.refusal) continue;
    right = std::max(right, point.utility_loss.value);
    low = std::min(low, report.objective_of(point).value);
    high = std::max(high, report.objective_of(point).value);
  }
  if (right <= 0) right = 1;
  if (high - low < 1e-9) low = std::max(0.0, high - 1);
  if (high - low < 1e-9) high = low + 1;
  Canvas canvas(right, low, high);
  canvas.bar(report.largest_loss);
  const auto mark = [&](std::size_t i, char sign) {
    const TradeOff& point = report.points[i];
    if (!point.refusal) canvas.mark(point.utility_loss.value, report.objective_of(point).value, sign);
  };
  for (std::size_t i = 0; i < report.points.size(); ++i) mark(i, '.');
  for (const std::size_t i : report.frontier) mark(i, '*');
  if (report.choice) mark(*report.choice, 'O');
  return fmt::format("\n  {} against L_M: * frontier, O chosen, . others, | the limit\n{}",
                     objective_name(report), canvas.text());
}

std::string verdict(const TuneReport& report) {
  if (!report.choice) {
    std::string text = fmt::format("\n  Nothing meets L_M <= {:g}.", report.largest_loss);
    if (!report.frontier.empty()) {
      const TradeOff& least = report.points[report.frontier.front()];
      text += fmt::format(" The smallest loss is {} of {} at epsilon {:g}.",
                          figure(least.utility_loss, least.exact), least.name(), least.epsilon);
    }
    return text + "\n";
  }
  const TradeOff& chosen = report.points[*report.choice];
  std::string text =
      fmt::format("\n  Chosen: {} at epsilon {:g}, {} {}, L_M {}.\n", chosen.name(), chosen.epsilon,
                  objective_name(report), figure(report.objective_of(chosen), chosen.exact),
                  figure(chosen.utility_loss, chosen.exact));
  if (!report.choice_is_certain) {
    text += fmt::format("  The limit {:g} lies inside the interval of its L_M; more --draws would decide.\n",
                        report.largest_loss);
    if (report.certain_choice) {
      const TradeOff& certain = report.points[*report.certain_choice];
      text += fmt::format("  Certainly below it: {} at epsilon {:g}, {} {}, L_M {}.\n", certain.name(),
                          certain.epsilon, objective_name(report),
                          figure(report.objective_of(certain), certain.exact),
                          figure(certain.utility_loss, certain.exact));
    }
  }
  if (chosen.guarantee == GuaranteeKind::none) text += "  It has no privacy guarantee.\n";
  if (report.outputs == "list")
    return text +
           "\n  Measured on models that have the listed words alone, as in the paper. No command runs "
           "these;\n"
           "  --outputs model measures what would be run, and recommends.\n";
  return text + fmt::format("\n    {}\n", command_of(chosen));
}

}  // namespace

std::string tune_text(const TuneReport& report, bool all) {
  const bool exact = std::all_of(report.points.begin(), report.points.end(),
                                 [](const TradeOff& point) { return point.exact || point.refusal; });
  std::string text = fmt::format(
      "{} of {} words in {}; prior {}, outputs {}; largest {} of {} settings with L_M <= {:g}\n"
      "  guessed blindly, the best error is {:.4f}\n",
      report.covered, report.listed, fmt::join(report.models, ", "), report.prior, report.outputs,
      objective_name(report), report.points.size(), report.largest_loss, report.blind_error);
  text += exact ? std::string("  exact, from the mechanisms' rows\n\n")
                : fmt::format(
                      "  sampled where there is no closed form: {} draws per word, intervals of confidence "
                      "{:g}\n\n",
                      report.draws, report.confidence);
  return text + table(report, all) + units(report) + plot(report) + verdict(report);
}

}  // namespace sotto::cli
