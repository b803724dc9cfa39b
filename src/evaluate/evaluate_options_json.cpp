#include <optional>
#include <string>
#include <utility>

#include <sotto/options_json.hpp>

#include "pipeline/options_parts.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using base::OptionsReader;

/// An object of files by label.
void add_classes(OptionsReader& reader, WordTaskOptions& task) {
  reader.member("class_files",
                [&task](const std::string& name, const OptionsReader::Json& value) -> Result<void> {
                  if (!value.is_object()) return OptionsReader::wrong_type(name, "an object");
                  for (const auto& [label, file] : value.items()) {
                    SOTTO_ASSIGN(std::string path, OptionsReader::text_of(name + "." + label, file));
                    task.classes.emplace_back(label, std::move(path));
                  }
                  return {};
                });
}

void add_task(OptionsReader& reader, WordTaskOptions& task) {
  reader.path("words", task.table);
  add_classes(reader, task);
  reader.path("losses", task.losses);
  reader.choice("prior", task.prior, kWordTaskPriorNames);
  reader.choice("outputs", task.outputs, kWordTaskOutputNames);
  reader.number("unlabelled_loss", task.unlabelled_loss);
}

Result<TuneObjective> parse_objective(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("objective", name, kTuneObjectiveNames));
  return static_cast<TuneObjective>(index);
}

}  // namespace

Result<ChooseOptions> choose_options_from_json(std::string_view json) {
  ChooseOptions options;
  OptionsReader reader;
  add_records(reader, options.files);
  add_mechanisms(reader, options.mechanisms);
  reader.path("public", options.public_text);
  reader.flag("use_private", options.use_private);
  reader.number("most_recovered", options.most_recovered);
  reader.integer("seed", options.seed);
  add_resources(reader, options.resources);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<TuneOptions> tune_options_from_json(std::string_view json) {
  TuneOptions options;
  std::optional<double> largest_loss;
  OptionsReader reader;
  add_task(reader, options.task);
  reader.texts("mechanisms", options.mechanisms);
  reader.numbers("epsilons", options.epsilons);
  add_grid(reader, options.grid);
  reader.texts("models", options.models);
  reader.number("max_loss", largest_loss);
  reader.named("objective", options.objective, parse_objective);
  reader.flag("unproven", options.unproven);
  reader.integer("draws", options.draws);
  reader.number("confidence", options.confidence);
  reader.path("plot", options.plot);
  reader.integer("seed", options.seed);
  add_resources(reader, options.resources);
  SOTTO_TRY(reader.read(json));
  if (!largest_loss) return fail_parameter("max_loss", "", "missing; give the largest loss that you accept");
  options.largest_loss = *largest_loss;
  return options;
}

Result<BenchOptions> bench_options_from_json(std::string_view json) {
  BenchOptions options;
  OptionsReader reader;
  reader.texts("mechanisms", options.mechanisms);
  reader.number("epsilon", options.epsilon);
  add_grid(reader, options.grid);
  reader.text("model", options.model);
  reader.integer("words", options.words);
  reader.path("data", options.data);
  add_format(reader, options.format);
  reader.texts("fields", options.fields);
  reader.path("plot", options.plot);
  reader.integer("seed", options.seed);
  add_resources(reader, options.resources);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<ExperimentOptions> experiment_options_from_json(std::string_view json) {
  ExperimentOptions options;
  OptionsReader reader;
  reader.path("run_file", options.run_file);
  reader.flag("quick", options.quick);
  reader.path("output", options.output);
  reader.path("data", options.data);
  reader.flag("skip_missing", options.skip_missing);
  add_threads(reader, options.threads);
  SOTTO_TRY(reader.read(json));
  return options;
}

}  // namespace sotto
