#include "bench_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command.hpp"
#include "error_line.hpp"

namespace sotto::cli {
namespace {

constexpr double kMillion = 1e6;
constexpr double kKibibyte = 1024;

/// Millions with three significant digits and thousands separators.
std::string millions(double value) {
  if (value <= 0) return "-";
  if (value < 100 * kMillion) return fmt::format("{:.3g}", value / kMillion);
  std::string digits = fmt::format("{:.0f}", value / kMillion);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string memory(double bytes) {
  return bytes < kKibibyte * kKibibyte ? fmt::format("{:.3g} KiB", bytes / kKibibyte)
                                       : fmt::format("{:.4g} MiB", bytes / kKibibyte / kKibibyte);
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  std::size_t width = 9;
  std::size_t model_width = 5;
  for (const BenchResult& result : report.results) {
    width = std::max(width, result.name().size());
    model_width = std::max(model_width, result.model.size());
  }
  std::string text = fmt::format("{}, {} processors; epsilon {:g}; {} words on one thread", report.processor,
                                 report.processors, report.epsilon, report.words);
  if (!report.data.empty()) text += fmt::format(", {} on {} threads", report.data, report.threads);
  text += fmt::format("\n\n  {:<{}}  {:<{}}  {:^19}  {:^32}  {:>11}\n", "", width, "", model_width, "set-up",
                      "million tokens per day", "memory");
  text += fmt::format("  {:<{}}  {:<{}}  {:>8} {:>10}  {:>10} {:>10} {:>10}  {:>11}\n", "mechanism", width,
                      "model", model_width, "seconds", "memory", "words", "again", "data set", "per word");
  for (const BenchResult& r : report.results) {
    if (r.refusal) {
      text += fmt::format("  {:<{}}  {}\n", r.name(), width, error_line(*r.refusal));
      continue;
    }
    text += fmt::format("  {:<{}}  {:<{}}  {:>8.3f} {:>10}  {:>10} {:>10} {:>10}  {:>11}\n", r.name(), width,
                        r.model, model_width, r.setup_seconds, memory(static_cast<double>(r.setup_bytes)),
                        millions(r.words_a_day()), millions(r.words_again_a_day()), millions(r.data_a_day()),
                        memory(r.bytes_a_word()));
  }
  text +=
      "\n  words: the first time; again: the same words once they have been seen. Rates exclude set-up.\n";
  return text + (report.peak_memory
                     ? "  memory per word: growth of peak resident memory in a separate process\n"
                     : "  memory per word: growth of resident memory in a separate process (no peak on this "
                       "system)\n");
}

}  // namespace sotto::cli
