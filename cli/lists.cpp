// sotto lists build
#include <fmt/format.h>

#include "command.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct ListsArguments {
  std::vector<std::string> models;
  std::string output, per_model = "2", seed, threads = "0";
  bool json = false;
  bool quiet = false;
};

Result<void> build(const ListsArguments& a) {
  ListOptions options;
  for (const std::string& name : a.models) {
    SOTTO_ASSIGN(const auto path, find_model(name));
    options.models.push_back(path);
  }
  options.output = a.output;
  SOTTO_ASSIGN(const std::uint64_t per_model, parse_integer("--lists-per-model", a.per_model, 1, 1000));
  options.lists_per_model = static_cast<std::uint32_t>(per_model);
  SOTTO_ASSIGN(options.seed, parse_seed(a.seed));
  SOTTO_ASSIGN(const std::uint64_t threads, parse_integer("--threads", a.threads, 0, 1024));
  options.threads = static_cast<unsigned>(threads);
  SOTTO_TRY(with_progress("words", a.quiet, options, [&] { return build_lists(options); }));
  SOTTO_ASSIGN(const auto lists, Model::open(options.output));
  if (a.json) return print(list_set_json(*lists));
  return print(fmt::format("{}: {} lists of {} words\ndigest {}\n", a.output, lists->lists().size(),
                           lists->size(), lists->digest()));
}

}  // namespace

std::vector<NamedAction> add_lists(CLI::App& app) {
  CLI::App* group = app.add_subcommand("lists", "Build one-dimensional word lists");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  sotto lists build --model sotto-en-skipgram -o lists.safetensors\n\n'sotto lists build "
      "--help' shows more.");
  CLI::App* command = group->add_subcommand("build", "Build word lists from models that share a vocabulary");
  auto a = std::make_shared<ListsArguments>();
  add_many(*command, "--model", a->models, "Vector model by name or path; may be given several times",
           "NAME|PATH")
      ->required();
  command->add_option("-o,--output", a->output, "List set to write")->required()->type_name("LISTS");
  command->add_option("--lists-per-model", a->per_model, "How many lists from each model")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "Make the choice of starts reproducible")->type_name("N");
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")->capture_default_str();
  command->add_flag("--json", a->json, "Print JSON");
  command->add_flag("--quiet", a->quiet, "No progress bar");
  command->footer(
      "Example:\n  sotto lists build --model sotto-en-skipgram --model sotto-en-cbow -o lists.safetensors "
      "--seed 1");
  return {{command, [a] { return build(*a); }}};
}

}  // namespace sotto::cli
