// sotto lm similarity|perplexity
#include <algorithm>

#include <fmt/format.h>

#include "lm.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct MeasureArguments {
  LanguageModelArguments model;
  std::string first, second;
  bool lines = false;
};

/// One number per line.
std::string listed(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{:.6g}\n", number);
  return text;
}

Result<void> similarity(const MeasureArguments& a) {
  SOTTO_ASSIGN(const auto resources, a.model.resources());
  SOTTO_ASSIGN(const auto first, read_text_lines(a.first));
  SOTTO_ASSIGN(const auto second, read_text_lines(a.second));
  if (first.size() != second.size())
    return fail(Errc::invalid_argument,
                fmt::format("'{}' has {} lines and '{}' {}; line i of one is compared "
                            "with line i of the other",
                            a.first, first.size(), a.second, second.size()));
  if (first.empty()) return fail(Errc::bad_format, fmt::format("{}: it has no lines", a.first));
  SimilarityReport report{a.model.model, {}};
  SOTTO_ASSIGN(report.cosines,
               with_clock(false, [&] { return text_similarities(first, second, a.model.model, resources); }));
  if (a.model.json) return print(to_json(report));
  if (a.lines) return print(listed(report.cosines));
  std::vector<double> cosines = report.cosines;
  std::sort(cosines.begin(), cosines.end());
  return print(fmt::format(
      "cosine similarity of {} pairs of lines by {}: mean {:.4f}, minimum {:.4f}, median {:.4f}\n",
      cosines.size(), report.model, report.mean(), cosines.front(), cosines[cosines.size() / 2]));
}

Result<void> perplexity(const MeasureArguments& a) {
  SOTTO_ASSIGN(const auto resources, a.model.resources());
  SOTTO_ASSIGN(const auto lines, read_text_lines(a.first));
  if (lines.empty()) return fail(Errc::bad_format, fmt::format("{}: it has no lines", a.first));
  PerplexityReport report{a.model.model, {}};
  SOTTO_ASSIGN(report.scores,
               with_clock(false, [&] { return text_scores(lines, a.model.model, resources); }));
  if (a.model.json) return print(to_json(report));
  if (a.lines) {
    std::vector<double> numbers;
    for (const TextScore& score : report.scores) numbers.push_back(score.perplexity());
    return print(listed(numbers));
  }
  const TextScore all = report.total();
  return print(fmt::format(
      "perplexity of {} lines by {}: {:.4g} per token ({} tokens), {:.4g} per word ({} words)\n",
      lines.size(), a.model.model, all.perplexity(), all.tokens, all.perplexity_per_word(), all.words));
}

}  // namespace

NamedAction add_lm_similarity(CLI::App& group) {
  auto a = std::make_shared<MeasureArguments>();
  a->model.model = kDefaultEncoder;
  CLI::App* command =
      group.add_subcommand("similarity", "Cosine similarity of the lines of two files, pair by pair");
  command->add_option("FIRST", a->first, "Texts, one per line")->required();
  command->add_option("SECOND", a->second, "As many texts, for example the output of privatize for the first")
      ->required();
  command->add_option("--model", a->model.model, "A sentence encoder")
      ->capture_default_str()
      ->type_name("NAME|FOLDER");
  command->add_flag("--lines", a->lines, "Print the figure of every line");
  a->model.add_options(*command);
  command->footer(
      "Unrelated sentences score about 0.5 with the shipped encoder: compare differences, not levels.\n\n"
      "Example:\n  sotto lm similarity reviews.txt private.txt");
  return {command, [a] { return similarity(*a); }};
}

NamedAction add_lm_perplexity(CLI::App& group) {
  auto a = std::make_shared<MeasureArguments>();
  a->model.model = kDefaultCausalModel;
  CLI::App* command =
      group.add_subcommand("perplexity", "How surprising the lines of a file are to a causal model");
  command->add_option("FILE", a->first, "Texts, one per line")->required();
  command->add_option("--model", a->model.model, "A causal model such as GPT-2")
      ->capture_default_str()
      ->type_name("NAME|FOLDER");
  command->add_flag("--lines", a->lines, "Print the figure of every line");
  a->model.add_options(*command);
  command->footer("Example:\n  sotto lm perplexity private.txt --json");
  return {command, [a] { return perplexity(*a); }};
}

}  // namespace sotto::cli
