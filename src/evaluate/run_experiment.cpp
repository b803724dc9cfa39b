// The stages of an experiment: run file → inputs → grid → texts → cells → results, tables, report.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include <sotto/evaluate.hpp>

#include "base/json.hpp"
#include "base/message.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "base/work_meter.hpp"
#include "evaluate/experiment/cell_store.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
#include "evaluate/experiment/input_check.hpp"
#include "evaluate/experiment/run_folder.hpp"
#include "evaluate/experiment/text_samples.hpp"
#include "evaluate/experiment/yaml_map.hpp"
#include "evaluate/report/report.hpp"

namespace sotto {
using namespace evaluate;
namespace {

/// Whether an error means that something is missing, rather than that something failed.
bool is_absence(const Error& error) {
  return error.code == Errc::not_found || error.code == Errc::invalid_argument;
}

/// The outcome of a cell.
// NOLINTNEXTLINE(bugprone-exception-escape): JSON's default constructor, a null, allocates nothing
struct CellState {
  std::string key;             ///< empty: its identity is unknown
  std::optional<Error> error;  ///< why there are no figures
  bool kept = false;
  nlohmann::ordered_json content;  ///< of its file
};

/// Makes the texts and computes the cells that are missing.
class Runner {
 public:
  Runner(const CellContext& context, const CellStore& store, base::WorkMeter& meter, unsigned threads)
      : context_(context), store_(store), meter_(meter), threads_(threads) {}

  /// Takes over what is finished and finds out what cannot be measured.
  const std::vector<CellState>& look_up(const std::vector<Cell>& cells) {
    states_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) look_up(cells[i], states_[i]);
    return states_;
  }

  /// Computes the rest; after look_up, for the same cells.
  Result<std::vector<CellState>> run(const std::vector<Cell>& cells) {
    const std::vector<TextRequest> texts = texts_to_make(cells);
    const std::vector<std::size_t> todo = cells_to_compute();
    meter_.set_total(texts.size() + todo.size());
    base::parallel_for(texts.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && !meter_.stopped(); ++i) make_texts(texts[i]);
    });
    base::parallel_for(todo.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && !meter_.stopped(); ++i)
        compute(cells[todo[i]], states_[todo[i]]);
    });
    SOTTO_TRY(meter_.result());
    take_over_twins();
    return std::move(states_);
  }

 private:
  void look_up(const Cell& cell, CellState& state) {
    const auto identity = cell_type(cell.kind).identity(context_, cell);
    if (!identity) {
      state.error = identity.error();
      return;
    }
    state.key = cell_key(*identity);
    if (auto content = store_.load(state.key)) {
      state.content = std::move(*content);
      state.kept = true;
    }
  }

  bool is_open(const CellState& state) const { return !state.error && !state.kept; }

  std::vector<TextRequest> texts_to_make(const std::vector<Cell>& cells) const {
    std::vector<TextRequest> requests;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_open(states_[i])) continue;
      for (const TextRequest& request : cell_type(cells[i].kind).texts(context_, cells[i])) {
        const auto key = context_.texts.key(request);
        if (key && !context_.texts.is_made(*key) && seen.insert(*key).second) requests.push_back(request);
      }
    }
    return requests;
  }

  /// Each key once.
  std::vector<std::size_t> cells_to_compute() {
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (is_open(states_[i]) && first_.emplace(states_[i].key, i).second) todo.push_back(i);
    return todo;
  }

  void make_texts(const TextRequest& request) {
    const auto made = guarded([&]() -> Result<nlohmann::ordered_json> {
      SOTTO_TRY(context_.texts.make(request, context_.progress()));
      return nlohmann::ordered_json();
    });
    if (!made && made.error().code != Errc::interrupted) {
      const auto key = context_.texts.key(request);
      const std::scoped_lock lock(mutex_);
      broken_texts_.emplace(*key, made.error());
    }
    meter_.add(1);
  }

  void compute(const Cell& cell, CellState& state) {
    for (const TextRequest& request : cell_type(cell.kind).texts(context_, cell)) {
      const auto broken = broken_texts_.find(context_.texts.key(request).value_or(""));
      if (broken != broken_texts_.end()) state.error = broken->second;
    }
    const base::Stopwatch watch;
    if (!state.error) {
      auto values = guarded([&] { return cell_type(cell.kind).compute(context_, cell); });
      if (values) {
        state.content = {
            {"cell", to_json(cell)}, {"values", std::move(*values)}, {"seconds", watch.seconds()}};
        if (auto saved = store_.save(state.key, state.content); !saved) state.error = saved.error();
      } else {
        state.error = values.error();
      }
    }
    meter_.add(1);
  }

  /// Libraries may throw; such a cell has failed, and the others continue.
  template <class Function>
  static Result<nlohmann::ordered_json> guarded(const Function& function) {
    try {
      return function();
    } catch (const std::exception& error) {
      std::string line = error.what();
      return fail(Errc::io, line.substr(0, line.find('\n')));
    }
  }

  /// Identical cells share one result.
  void take_over_twins() {
    for (CellState& state : states_) {
      if (!is_open(state) || !state.content.is_null()) continue;
      const CellState& twin = states_[first_.at(state.key)];
      state.content = twin.content;
      state.error = twin.error;
    }
  }

  const CellContext& context_;
  const CellStore& store_;
  base::WorkMeter& meter_;
  unsigned threads_;
  std::vector<CellState> states_;
  std::map<std::string, std::size_t> first_;
  std::mutex mutex_;
  std::map<std::string, Error> broken_texts_;
};

void count_reason(std::vector<AbsentCells>& reasons, const std::string& reason) {
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const AbsentCells& entry) { return entry.reason == reason; });
  if (found == reasons.end()) {
    reasons.push_back({reason, 1});
  } else {
    ++found->cells;
  }
}

/// A line of results.jsonl.
nlohmann::ordered_json result_line(const Cell& cell, const CellState& state) {
  nlohmann::ordered_json line = to_json(cell);
  if (state.error) {
    line["status"] = is_absence(*state.error) ? "absent" : "failed";
    line["reason"] = describe_for_run_file(*state.error);
    return line;
  }
  line["status"] = "done";
  line["key"] = state.key;
  line["values"] = state.content.at("values");
  return line;
}

Result<std::filesystem::path> data_folder(const ExperimentOptions& options) {
  std::filesystem::path folder = options.data;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets it
  if (const char* given = std::getenv("SOTTO_DATA"); folder.empty() && given != nullptr) folder = given;
  if (folder.empty()) folder = options.run_file.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return fail_parameter("data", folder.string(), fmt::format("'{}' is not a folder", folder.string()));
  return folder;
}

/// A run without its data would replace figures by gaps, so it needs to be asked for.
Result<void> check_inputs(const ExperimentSpec& run, const DataCatalog& catalog,
                          const std::filesystem::path& data) {
  const std::vector<MissingInput> missing = missing_inputs(run, catalog, data);
  if (missing.empty()) return {};
  const std::string more =
      missing.size() == 1 ? "" : fmt::format(" (and {} more like it)", missing.size() - 1);
  return fail(Errc::invalid_argument,
              base::format_message("{}: {}{}; give {} to measure the rest", run.file.string(),
                                   missing.front().problem, more,
                                   missing.front().in_data_folder
                                       ? base::format_message("the folder as {{data}}, or {{skip_missing}}")
                                       : base::format_message("{{skip_missing}}")));
}

/// The cells that an earlier report has figures for.
std::set<std::string> reported_cells(const std::filesystem::path& results) {
  std::set<std::string> cells;
  const auto content = base::read_file(results);
  if (!content) return cells;
  for (std::size_t begin = 0; begin < content->size();) {
    const std::size_t end = std::min(content->find('\n', begin), content->size());
    auto line =
        base::parse_json<nlohmann::ordered_json>(std::string_view(*content).substr(begin, end - begin));
    begin = end + 1;
    if (!line.is_object() || line.value("status", std::string()) != "done") continue;
    for (const char* key : {"status", "key", "values"}) line.erase(key);
    cells.insert(line.dump());
  }
  return cells;
}

/// Whoever moves the data and runs again must not lose the report that took days.
Result<void> check_earlier_report(const std::vector<Cell>& cells, const std::vector<CellState>& states,
                                  const std::filesystem::path& folder) {
  const std::set<std::string> reported = reported_cells(folder / "results.jsonl");
  std::uint64_t lost = 0;
  const Error* reason = nullptr;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!states[i].error || !reported.contains(to_json(cells[i]).dump())) continue;
    if (lost++ == 0) reason = &*states[i].error;
  }
  if (reason == nullptr) return {};
  return fail(
      Errc::invalid_argument,
      base::format_message("{}: its report has figures for {} cells that this run cannot measure ({}); give "
                           "another folder as {{output}}",
                           folder.string(), lost, describe_for_run_file(*reason)));
}

/// Without a single figure there is nothing to report.
Result<void> check_figures(const ExperimentSpec& run, const std::vector<CellState>& states) {
  const Error* reason = nullptr;
  for (const CellState& state : states) {
    if (!state.error) return {};
    if (reason == nullptr) reason = &*state.error;
  }
  if (reason == nullptr)
    return fail(Errc::invalid_argument, fmt::format("{}: nothing is left to measure", run.file.string()));
  return fail(is_absence(*reason) ? Errc::invalid_argument : Errc::io,
              fmt::format("{}: nothing could be measured, so no report is written: {}", run.file.string(),
                          describe_for_run_file(*reason)));
}

/// Whether nothing was computed that another attempt could use.
bool all_absent(const std::vector<CellState>& states) {
  return std::all_of(states.begin(), states.end(),
                     [](const CellState& state) { return state.error && is_absence(*state.error); });
}

/// Texts before and after, of the cells that have figures.
std::vector<TextSample> collect_samples(const std::vector<Cell>& cells, const std::vector<CellState>& states,
                                        const CellContext& context) {
  std::vector<TextRequest> requests;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (states[i].error) continue;
    for (TextRequest& request : cell_type(cells[i].kind).texts(context, cells[i]))
      requests.push_back(std::move(request));
  }
  // Classifiers rewrite what they learn from, too; what is tested says more.
  std::stable_partition(requests.begin(), requests.end(),
                        [](const TextRequest& request) { return request.split != "train"; });
  return sample_texts(requests, context.texts, context.inputs);
}

/// How fast texts were privatized and cells computed: differs between runs, so it is not among the results.
std::string timing_lines(const std::vector<Cell>& cells, const std::vector<CellState>& states,
                         const CellContext& context, std::vector<nlohmann::ordered_json>& speeds) {
  std::string lines;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (states[i].error) continue;
    for (const TextRequest& request : cell_type(cells[i].kind).texts(context, cells[i])) {
      const auto key = context.texts.key(request);
      if (!key || !seen.insert(*key).second) continue;
      auto report = context.texts.report(*key);
      if (report.is_null()) continue;
      report.erase("key");
      lines += report.dump() + "\n";
      speeds.push_back(std::move(report));
    }
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (states[i].error) continue;
    nlohmann::ordered_json line = to_json(cells[i]);
    line["seconds"] = states[i].content.value("seconds", 0.0);
    lines += line.dump() + "\n";
  }
  return lines;
}

Result<ExperimentSummary> summarize(const ExperimentSpec& run, const std::vector<CellState>& states,
                                    const std::filesystem::path& output, const base::Stopwatch& watch) {
  ExperimentSummary summary;
  summary.title = run.title;
  summary.output = output;
  summary.cells = states.size();
  for (const CellState& state : states) {
    if (state.error) {
      count_reason(is_absence(*state.error) ? summary.absent : summary.failed,
                   describe_for_run_file(*state.error));
    } else {
      ++(state.kept ? summary.kept : summary.computed);
    }
  }
  summary.seconds = watch.seconds();
  return summary;
}

}  // namespace

std::filesystem::path default_experiment_folder(const ExperimentOptions& options) {
  return options.run_file.stem().string() + (options.quick ? "-quick-results" : "-results");
}

Result<ExperimentSummary> run_experiment(const ExperimentOptions& options) {
  const base::Stopwatch watch;
  SOTTO_ASSIGN(const ExperimentSpec run, read_experiment_spec(options.run_file, options.quick));
  SOTTO_ASSIGN(const std::filesystem::path data, data_folder(options));
  SOTTO_ASSIGN(DataCatalog catalog, read_catalog_of(run));
  if (!options.skip_missing) SOTTO_TRY(check_inputs(run, catalog, data));
  RunFolder paths(options.output.empty() ? default_experiment_folder(options) : options.output);
  base::WorkMeter meter(options.progress);
  const unsigned threads = base::thread_count(options.threads);
  const ExperimentInputOptions input_options{data, paths.models, threads,
                                             [&](std::uint64_t, std::uint64_t) { return meter.add(0); }};
  SOTTO_ASSIGN(ExperimentInputs inputs, ExperimentInputs::read_data(run, std::move(catalog), input_options));
  SOTTO_TRY(paths.make());
  SOTTO_ASSIGN(const FolderLock lock, FolderLock::take(paths.root));
  SOTTO_TRY(inputs.make_models(run, input_options));
  const CacheKeys cache_keys(inputs);
  const RewrittenTexts texts(run, inputs, cache_keys, paths.texts);
  SharedTables shared;
  const CellContext context{run, inputs, cache_keys, texts, paths.work, shared, [&] { return meter.add(0); }};
  const CellStore store(paths.cells);
  const std::vector<Cell> cells = make_grid(run);
  Runner runner(context, store, meter, threads);
  SOTTO_TRY(check_earlier_report(cells, runner.look_up(cells), paths.root));
  SOTTO_ASSIGN(const std::vector<CellState> states, runner.run(cells));
  if (auto some = check_figures(run, states); !some) {
    if (all_absent(states)) paths.remove_what_is_new();
    return tl::unexpected(std::move(some.error()));
  }

  std::vector<nlohmann::ordered_json> results;
  std::string lines;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    results.push_back(result_line(cells[i], states[i]));
    lines += base::json_line(results.back());
  }
  SOTTO_TRY(write_whole_file(paths.root / "results.jsonl", lines));
  std::vector<nlohmann::ordered_json> speeds;
  SOTTO_TRY(write_whole_file(paths.root / "timings.jsonl", timing_lines(cells, states, context, speeds)));
  SOTTO_ASSIGN(ExperimentSummary summary, summarize(run, states, paths.root, watch));
  const std::vector<TextSample> samples = collect_samples(cells, states, context);
  SOTTO_TRY(write_report({run, inputs, results, speeds, samples, summary, options.quick}, paths.root));
  return summary;
}

}  // namespace sotto
