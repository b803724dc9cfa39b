#include "evaluate/experiment/rewritten_texts.hpp"

#include <fmt/format.h>

#include <sotto/privatize.hpp>
#include <sotto/text_values.hpp>

#include "base/compressed_input.hpp"
#include "base/json.hpp"
#include "evaluate/experiment/cell_store.hpp"
#include "evaluate/experiment/run_folder.hpp"
#include "evaluate/experiment/seeds.hpp"
#include "evaluate/experiment/table_reader.hpp"

namespace sotto::evaluate {
namespace {

std::string column_name(std::size_t index) {
  return fmt::format("text{}", index + 1);
}

/// Columns that are not privatized are copied.
Result<void> close_to_others(const std::filesystem::path& file) {
  using std::filesystem::perms;
  std::error_code error;
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write, error);
  if (!error) return {};
  return fail(Errc::io, fmt::format("{}: cannot be made readable by its owner only", file.string()));
}

}  // namespace

TextRequest texts_of(const Cell& cell, const std::string& split) {
  return {cell.dataset, split, cell.model, cell.mechanism, cell.epsilon, cell.repetition};
}

Result<nlohmann::json> RewrittenTexts::identity(const TextRequest& request) const {
  SOTTO_ASSIGN(const DataSplit* split, inputs_.split(request.dataset, request.split));
  const ExperimentMechanism& spec = find_experiment_mechanism(run_, request.mechanism);
  SOTTO_ASSIGN(nlohmann::json identity,
               cache_keys_.rewriting(spec, request.epsilon, request.model, request.dataset));
  identity["texts"] = split->digest;
  identity["columns"] = inputs_.entry(request.dataset).privatize;
  identity["dataset"] = request.dataset;  // the noise depends on the name
  identity["seed"] = run_.seed;
  identity["repetition"] = request.repetition;
  identity["versions"] = cache_keys_.versions();
  return identity;
}

Result<std::string> RewrittenTexts::key(const TextRequest& request) const {
  SOTTO_ASSIGN(const nlohmann::json decides, identity(request));
  return cell_key(decides);
}

bool RewrittenTexts::is_made(const std::string& key) const {
  std::error_code ignored;
  return std::filesystem::exists(report_file(key), ignored) &&
         std::filesystem::exists(texts_file(key), ignored);
}

Result<void> RewrittenTexts::set_budget(const TextRequest& request, const std::string& name,
                                        PrivatizeOptions& options) const {
  SOTTO_ASSIGN(const BudgetStrategy strategy, parse_budget_strategy(name));
  if (strategy == BudgetStrategy::token) return apply_named_budget(name, 0, options);
  SOTTO_ASSIGN(const double words, inputs_.mean_words(request.dataset));
  SOTTO_TRY(check_epsilon("document_epsilon", request.epsilon * words));
  options.mechanism.epsilon = 0;
  return apply_named_budget(name, request.epsilon * words, options);
}

Result<PrivatizeOptions> RewrittenTexts::options(const TextRequest& request) const {
  const ExperimentMechanism& spec = find_experiment_mechanism(run_, request.mechanism);
  PrivatizeOptions options;
  options.mechanism.name = spec.mechanism;
  options.mechanism.parameters = spec.parameters;
  options.mechanism.epsilon = request.epsilon;
  SOTTO_ASSIGN(const PreparedModel* model, inputs_.model(request.model));
  options.mechanism.model = std::filesystem::absolute(model->path).string();
  options.mechanism.resources.threads = 1;
  options.language = model->language;
  SOTTO_ASSIGN(options.policy, parse_policy_text(spec.policy));
  if (!spec.budget.empty()) SOTTO_TRY(set_budget(request, spec.budget, options));
  options.collocations = spec.collocations;  // the run file may override those of the budget
  options.seed = experiment_seed(run_.seed, fmt::format("privatize {}", request.repetition));
  return options;
}

/// The split as JSON lines, the input of privatize_files.
Result<std::filesystem::path> RewrittenTexts::write_originals(const TextRequest& request,
                                                              const DataSplit& split) const {
  const std::scoped_lock lock(originals_);  // several texts are made from the same originals
  const std::filesystem::path file = folder_ / fmt::format("original-{}.jsonl", split.digest);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return file;
  std::string lines;
  const std::size_t columns = inputs_.entry(request.dataset).text.size();
  for (std::size_t row = 0; row < split.size(); ++row) {
    nlohmann::ordered_json line;
    for (std::size_t column = 0; column < columns; ++column)
      line[column_name(column)] = split.texts[column][row];
    lines += line.dump() + "\n";
  }
  SOTTO_TRY(write_whole_file(file, lines));
  return file;
}

Result<void> RewrittenTexts::make(const TextRequest& request, const ProgressCallback& progress) const {
  SOTTO_ASSIGN(const std::string key, this->key(request));
  SOTTO_ASSIGN(const DataSplit* split, inputs_.split(request.dataset, request.split));
  SOTTO_ASSIGN(const PrivatizeOptions options, this->options(request));
  FileOptions files;
  SOTTO_ASSIGN(const std::filesystem::path originals, write_originals(request, *split));
  files.inputs = {originals};
  files.output = texts_file(key);
  files.format = Format::jsonl;
  const DatasetEntry& entry = inputs_.entry(request.dataset);
  for (std::size_t column = 0; column < entry.text.size(); ++column)
    if (entry.is_privatized(column)) files.fields.push_back(column_name(column));
  files.dataset = request.dataset + "/" + request.split;
  files.threads = 1;
  files.progress = progress;
  SOTTO_ASSIGN(const Receipt receipt, privatize_files(options, files));
  SOTTO_TRY(close_to_others(*files.output));
  const nlohmann::ordered_json report = {{"key", key},
                                         {"dataset", request.dataset},
                                         {"split", request.split},
                                         {"model", request.model},
                                         {"mechanism", request.mechanism},
                                         {"epsilon", request.epsilon},
                                         {"repetition", request.repetition},
                                         {"texts", split->size()},
                                         {"tokens", receipt.counts.privatized},
                                         {"seconds", receipt.seconds}};
  return write_whole_file(report_file(key), report.dump(1) + "\n");
}

Result<TextColumns> RewrittenTexts::load(const TextRequest& request) const {
  SOTTO_ASSIGN(const std::string key, this->key(request));
  SOTTO_ASSIGN(Table table, read_table(texts_file(key), Format::jsonl, true, {}));
  const std::size_t columns = inputs_.entry(request.dataset).text.size();
  TextColumns texts(columns);
  for (std::vector<std::string>& row : table.rows)
    for (std::size_t column = 0; column < columns; ++column) texts[column].push_back(std::move(row[column]));
  return texts;
}

Result<TextColumns> RewrittenTexts::load_first(const TextRequest& request, std::size_t rows) const {
  constexpr std::size_t kLongestLine = 256 << 20;
  SOTTO_ASSIGN(const std::string key, this->key(request));
  SOTTO_ASSIGN(base::BufferedInput input, base::BufferedInput::open(texts_file(key)));
  TextColumns texts(inputs_.entry(request.dataset).text.size());
  std::string_view line;
  for (std::size_t row = 0; row < rows; ++row) {
    SOTTO_ASSIGN(const bool more, input.next_line(line, kLongestLine));
    if (!more) break;
    const auto json = base::parse_json(line);
    for (std::size_t column = 0; column < texts.size(); ++column)
      texts[column].push_back(json.is_object() ? json.value(column_name(column), std::string())
                                               : std::string());
  }
  return texts;
}

nlohmann::ordered_json RewrittenTexts::report(const std::string& key) const {
  const auto content = base::read_file(report_file(key));
  if (!content) return {};
  auto json = base::parse_json<nlohmann::ordered_json>(*content);
  return json.is_object() ? json : nlohmann::ordered_json();
}

}  // namespace sotto::evaluate
