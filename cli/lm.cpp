// sotto lm info|calibrate
#include "lm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error_line.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {

void LanguageModelArguments::add_options(CLI::App& command) {
  command.add_option("--device", device, "cpu or cuda")->capture_default_str();
  command
      .add_option("--precision", precision, "Precision of the weights: f32, int8 or auto, as they are stored")
      ->capture_default_str();
  command.add_option("--threads", threads, "Threads (default: one per processor)")->type_name("N");
  command.add_flag("--json", json, "Print JSON");
}

Result<LanguageModelResources> LanguageModelArguments::resources() const {
  LanguageModelResources resources;
  SOTTO_ASSIGN(resources.device, parse_device(device));
  SOTTO_ASSIGN(resources.precision, parse_precision(precision));
  SOTTO_ASSIGN(resources.threads, parse_threads(threads));
  resources.go_on = [] { return !interrupted(); };
  return resources;
}

namespace {

struct LmArguments : LanguageModelArguments {
  std::string text;
};

std::string drawing(const LanguageModelInfo& info) {
  std::string text;
  if (!info.modes.empty())
    text = fmt::format("  draws     {}; {} law\n", fmt::join(info.modes, " or "), info.law);
  if (info.wander) text += fmt::format("  wander    0 to 1, {:g} by default\n", *info.wander);
  return text;
}

std::string as_text(const LanguageModelInfo& info) {
  std::string text = fmt::format(
      "{}\n  folder    {}\n  digest    {}\n  kind      {}, {} positions\n  outputs   {} logits, of which {} "
      "may come out\n{}",
      info.name, info.folder.string(), info.digest, info.kind, info.positions, info.logits, info.outcomes,
      drawing(info));
  if (info.bounded)
    return text + fmt::format("  bounds    [{:g}, {:g}] by its architecture\n", info.lowest, info.highest);
  if (const auto& c = info.calibration)
    return text + fmt::format(
                      "  bounds    clipped to [{:.6g}, {:.6g}]: mean and mean + 4·{:.6g} of {} logits over "
                      "{} public texts\n            of sha256 {}\n",
                      c->lowest, c->highest, c->deviation, c->logits, c->texts, c->text_digest);
  return text +
         fmt::format("  bounds    none; estimate them on public text with '{}'\n",
                     command_line({"lm calibrate", {{"model", info.folder.string()}, {"public_text", ""}}}));
}

Result<void> show(const LmArguments& a, const LanguageModelInfo& info) {
  return print(a.json ? to_json(info) : as_text(info));
}

Result<void> info(const LmArguments& a) {
  SOTTO_ASSIGN(const auto resources, a.resources());
  SOTTO_ASSIGN(const auto found, language_model_info(a.model, resources));
  return show(a, found);
}

Result<void> calibrate(const LmArguments& a) {
  SOTTO_ASSIGN(const auto resources, a.resources());
  SOTTO_ASSIGN(const auto found,
               with_clock(false, [&] { return calibrate_language_model(a.model, a.text, resources); }));
  return show(a, found);
}

NamedAction add_lm_info(CLI::App& group) {
  auto a = std::make_shared<LmArguments>();
  CLI::App* command = group.add_subcommand("info", "Show what a language model is and where its logits lie");
  command->add_option("MODEL", a->model, "Folder, or the name of one among the models")->required();
  a->add_options(*command);
  command->footer("Example:\n  sotto lm info sotto-en-mlm");
  return {command, [a] { return info(*a); }};
}

NamedAction add_calibrate(CLI::App& group) {
  auto a = std::make_shared<LmArguments>();
  CLI::App* command =
      group.add_subcommand("calibrate", "Estimate the bounds of a model's logits on public text");
  command->add_option("--model", a->model, "Folder, or the name of one among the models")
      ->required()
      ->type_name("NAME|FOLDER");
  command->add_option("PUBLIC-TEXT", a->text, "A text that need not be protected, one document per line")
      ->required();
  a->add_options(*command);
  command->footer(
      R"(Logits are clipped to [mean, mean + 4 standard deviations] of those seen on up to 1,000 lines; the bounds are
stored in the model's folder. They must not depend on the texts to be protected, so 'sotto privatize' refuses
the very file that they were estimated on.

Example:
  sotto lm calibrate --model roberta-base public-reviews.txt)");
  return {command, [a] { return calibrate(*a); }};
}

}  // namespace

std::vector<NamedAction> add_lm(CLI::App& app) {
  CLI::App* group =
      app.add_subcommand("lm", "Inspect and calibrate language models, and measure texts with them");
  group->require_subcommand(1);
  group->footer("Example:\n  sotto lm info sotto-en-mlm\n\n'sotto lm COMMAND --help' shows more.");
  return {add_lm_info(*group), add_calibrate(*group), add_lm_similarity(*group), add_lm_perplexity(*group)};
}

}  // namespace sotto::cli
