// Run files, data catalogs and option files.
#include <CLI/CLI.hpp>

#include "config_file.hpp"
#include "evaluate/experiment/data_catalog.hpp"
#include "evaluate/experiment/experiment_spec.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

void check_message(const Error& error) {
  require(!error.message.empty(), "an error says something");
}

}  // namespace

SOTTO_FUZZ_TARGET(run_file) {
  const std::filesystem::path file = fuzz::write_scratch("run.yaml", input);
  for (const bool quick : {false, true}) {
    const auto run = evaluate::read_experiment_spec(file, quick);
    if (!run) check_message(run.error());
  }
}

SOTTO_FUZZ_TARGET(data_catalog) {
  const auto catalog = evaluate::read_data_catalog(fuzz::write_scratch("data.yaml", input));
  if (!catalog) return check_message(catalog.error());
  for (const auto& [name, entry] : catalog->datasets)
    require(name == entry.name && !entry.splits.empty(), "a data set has a name and a split");
}

SOTTO_FUZZ_TARGET(config) {
  CLI::App command;
  std::string epsilon;
  std::string count;
  std::vector<std::string> settings;
  std::vector<std::string> inputs;
  bool quiet = false;
  command.add_option("FILE", inputs);
  command.add_option("--epsilon", epsilon);
  command.add_option("--threads", count);
  command.add_option("--set", settings)->allow_extra_args(false);
  command.add_flag("--quiet", quiet);
  const auto applied = cli::apply_config_file(command, fuzz::write_scratch("config.yaml", input).string());
  if (!applied) check_message(applied.error());
}
