#include "attack_mask.hpp"

#include <fmt/format.h>

#include "interruption.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

std::string figure(const Estimate& estimate) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", estimate.value, estimate.low, estimate.high);
}

std::string as_text(const MaskInferenceReport& r) {
  const auto row = [](const std::string& what, const std::string& value) {
    return fmt::format("  {:<42}{}\n", what, value);
  };
  std::string text =
      fmt::format("mask-token inference by {}: {} words of {} lines, intervals of confidence {:g} each\n",
                  r.model, r.places, r.lines - r.lines_left_out, r.confidence);
  text += row("best guess is the original word",
              fmt::format("{}, among {} candidates", figure(r.success), r.vocabulary));
  text += row(fmt::format("among the best {} guesses", r.candidates), figure(r.success_among));
  if (r.changed > 0)
    text += row(fmt::format("best guess, of the {} changed words", r.changed), figure(r.success_changed));
  text += row("for comparison: words left unchanged", fmt::format("{:.4f}", r.kept));
  text += row("always the most frequent word", fmt::format("{:.4f}", r.blind));
  text += fmt::format("  the model can name {} of the {} original words\n", r.sayable, r.places);
  if (r.lines_left_out > 0)
    text += fmt::format("  {} lines skipped because their word count differs from the original\n",
                        r.lines_left_out);
  return text;
}

Result<std::vector<std::string>> read_option(const char* option, const std::string& file) {
  if (file.empty())
    return fail(Errc::invalid_argument,
                fmt::format("{}: missing; the attack 'mask' takes --original and --privatized", option));
  return read_text_lines(file);
}

}  // namespace

Result<void> attack_masks(const MaskAttackArguments& a) {
  MaskInferenceOptions options;
  if (!a.model.empty()) options.model = a.model;
  SOTTO_ASSIGN(options.candidates, parse_integer("--neighbours", a.candidates, 1, 1000));
  SOTTO_ASSIGN(options.confidence, parse_number("--confidence", a.confidence, 0.5, 0.999999999999));
  SOTTO_ASSIGN(options.resources.threads, parse_threads(a.threads));
  options.resources.go_on = [] { return !interrupted(); };
  SOTTO_ASSIGN(const auto original, read_option("--original", a.original));
  SOTTO_ASSIGN(const auto privatized, read_option("--privatized", a.privatized));
  SOTTO_ASSIGN(const MaskInferenceReport report, with_progress("lines", false, options, [&] {
                 return infer_masked_words(original, privatized, options);
               }));
  return print(a.json ? to_json(report) : as_text(report));
}

}  // namespace sotto::cli
