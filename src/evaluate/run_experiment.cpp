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
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "base/work_meter.hpp"
#include "evaluate/experiment/cell_store.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
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

  Result<std::vector<CellState>> run(const std::vector<Cell>& cells) {
    states_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) look_up(cells[i], states_[i]);
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

struct Paths {
  explicit Paths(const std::filesystem::path& folder)
      : root(folder),
        cells(root / "cells"),
        texts(root / "texts"),
        models(root / "models"),
        work(root / "work") {}
  std::filesystem::path root, cells, texts, models, work;

  Result<void> make() const {
    for (const auto& folder : {root, cells, texts, models, work}) SOTTO_TRY(make_folder(folder));
    return {};
  }
};

std::filesystem::path data_folder(const ExperimentOptions& options) {
  if (!options.data.empty()) return options.data;
  const char* given = std::getenv("SOTTO_DATA");  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  return given == nullptr ? std::filesystem::path() : std::filesystem::path(given);
}

Result<void> check_data_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    return fail_parameter("data", folder.string(), fmt::format("'{}' is not a folder", folder.string()));
  return {};
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
  const std::filesystem::path data = data_folder(options);
  SOTTO_TRY(check_data_folder(data));
  SOTTO_ASSIGN(DataCatalog catalog, read_catalog_of(run));
  const Paths paths(options.output.empty() ? default_experiment_folder(options) : options.output);
  SOTTO_TRY(paths.make());
  SOTTO_ASSIGN(const FolderLock lock, FolderLock::take(paths.root));

  base::WorkMeter meter(options.progress);
  const unsigned threads = base::thread_count(options.threads);
  ExperimentInputOptions input_options{data, paths.models, threads,
                                       [&](std::uint64_t, std::uint64_t) { return meter.add(0); }};
  SOTTO_ASSIGN(const ExperimentInputs inputs,
               ExperimentInputs::prepare(run, std::move(catalog), input_options));
  const CacheKeys cache_keys(inputs);
  const RewrittenTexts texts(run, inputs, cache_keys, paths.texts);
  SharedTables shared;
  const CellContext context{run, inputs, cache_keys, texts, paths.work, shared, [&] { return meter.add(0); }};
  const CellStore store(paths.cells);
  const std::vector<Cell> cells = make_grid(run);
  SOTTO_ASSIGN(const std::vector<CellState> states, Runner(context, store, meter, threads).run(cells));

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
  SOTTO_TRY(write_report({run, inputs, results, speeds, summary, options.quick}, paths.root));
  return summary;
}

}  // namespace sotto
