#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/bench.hpp>

#include "audit/attack/guesses.hpp"
#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "evaluate/bench/child_process.hpp"
#include "evaluate/bench/resident_memory.hpp"
#include "evaluate/plot/plot.hpp"
#include "evaluate/tuning/parameter_grid.hpp"
#include "pipeline/records/output_target.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
using namespace evaluate;
namespace {

constexpr double kSecondsADay = 86'400;
constexpr double kMillion = 1e6;
// How long the words are repeated, so that the mechanism is timed and not the clock.
constexpr double kRepeatSeconds = 0.3;
constexpr std::uint64_t kMostRepetitions = 10'000;

std::unique_ptr<BitSource> make_bits(const BenchOptions& options, std::string_view purpose) {
  if (!options.seed) return std::make_unique<random::OsBitSource>();
  return std::make_unique<random::ChaChaBitSource>(
      random::purpose_key(fmt::format("bench {} {}", *options.seed, purpose)));
}

/// An error on its way from the child; the parent's caller formats it.
nlohmann::json as_json(const Error& error) {
  nlohmann::json hints = nlohmann::json::array();
  for (const Hint& hint : error.hints) {
    nlohmann::json arguments = nlohmann::json::array();
    for (const Argument& argument : hint.arguments) arguments.push_back({argument.parameter, argument.value});
    hints.push_back({{"command", hint.command}, {"arguments", std::move(arguments)}});
  }
  return {{"code", error.code},
          {"parameter", error.parameter},
          {"value", error.value},
          {"message", error.message},
          {"hints", std::move(hints)}};
}

Error read_error(const nlohmann::json& json) {
  Error error{json.at("code"), json.at("parameter"), json.at("value"), json.at("message"), {}};
  for (const auto& hint : json.at("hints")) {
    Hint& read = error.hints.emplace_back(Hint{hint.at("command"), {}});
    for (const auto& argument : hint.at("arguments"))
      read.arguments.push_back({argument.at(0), argument.at(1)});
  }
  return error;
}

/// What the child does for one mechanism.
class BenchSubject {
 public:
  BenchSubject(const MechanismVariant& variant, const BenchOptions& options)
      : spec_{variant.mechanism, options.epsilon, variant.parameters, options.model, options.resources},
        options_(options) {}

  Result<void> run() {
    SOTTO_TRY(set_up());
    SOTTO_TRY(perturb_words());
    mechanism_.reset();
    return options_.data ? perturb_data() : Result<void>();
  }

  nlohmann::json answer() {
    if (const auto done = run(); !done) return {{"refusal", as_json(done.error())}};
    return {{"model", result_.model},
            {"setup_seconds", result_.setup_seconds},
            {"setup_bytes", result_.setup_bytes},
            {"words", result_.words},
            {"first_seconds", result_.first_seconds},
            {"again_seconds", result_.again_seconds},
            {"words_bytes", result_.words_bytes},
            {"data_tokens", result_.data_tokens},
            {"data_seconds", result_.data_seconds}};
  }

 private:
  Result<void> set_up() {
    const std::uint64_t before = resident_bytes();
    const base::Stopwatch watch;
    SOTTO_TRY(find_word_mechanism(spec_.name));
    SOTTO_ASSIGN(const auto file, find_model(spec_));
    SOTTO_ASSIGN(model_, Model::open(file));
    SOTTO_ASSIGN(OpenMechanism open, open_mechanism(spec_, model_));
    mechanism_ = std::move(open.mechanism);
    result_.setup_seconds = watch.seconds();
    const std::uint64_t after = resident_bytes();
    result_.setup_bytes = after > before ? after - before : 0;
    result_.model = model_->name();
    return {};
  }

  Result<void> perturb_words() {
    SOTTO_ASSIGN(const audit::Secrets chosen,
                 audit::Secrets::choose(*model_, std::min<std::uint64_t>(options_.words, model_->size()),
                                        "uniform", *make_bits(options_, "words")));
    const auto bits = make_bits(options_, "noise");
    std::vector<TokenId> outputs(chosen.words.size());
    result_.words = outputs.size();
    const bool peak = forget_peak();
    const std::uint64_t before = resident_bytes();
    const base::Stopwatch first;
    mechanism_->privatize(chosen.words, outputs, *bits);
    result_.first_seconds = first.seconds();
    const std::uint64_t after = peak ? peak_resident_bytes() : resident_bytes();
    result_.words_bytes = after > before ? after - before : 0;
    std::uint64_t repetitions = 0;
    const base::Stopwatch again;
    do {
      mechanism_->privatize(chosen.words, outputs, *bits);
      ++repetitions;
    } while (again.seconds() < kRepeatSeconds && repetitions < kMostRepetitions);
    result_.again_seconds = again.seconds() / static_cast<double>(repetitions);
    return {};
  }

  Result<void> perturb_data() {
    PrivatizeOptions options;
    options.mechanism = spec_;
    options.seed = options_.seed;
    FileOptions files;
    files.inputs = {*options_.data};
    files.output = "/dev/null";
    files.format = options_.format;
    files.fields = options_.fields;
    files.threads = options_.resources.threads;
    SOTTO_ASSIGN(const Receipt receipt, privatize_files(options, files));
    result_.data_tokens = receipt.counts.privatized;
    result_.data_seconds = receipt.seconds - receipt.setup_seconds;
    return {};
  }

  MechanismSpec spec_;
  const BenchOptions& options_;
  BenchResult result_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Mechanism> mechanism_;
};

void read_answer(const std::string& text, BenchResult& result) {
  const auto json = base::parse_json(text);
  if (json.contains("refusal")) {
    result.refusal = read_error(json.at("refusal"));
    return;
  }
  json.at("model").get_to(result.model);
  json.at("setup_seconds").get_to(result.setup_seconds);
  json.at("setup_bytes").get_to(result.setup_bytes);
  json.at("words").get_to(result.words);
  json.at("first_seconds").get_to(result.first_seconds);
  json.at("again_seconds").get_to(result.again_seconds);
  json.at("words_bytes").get_to(result.words_bytes);
  json.at("data_tokens").get_to(result.data_tokens);
  json.at("data_seconds").get_to(result.data_seconds);
}

/// As the system names it; empty if it does not say.
std::string processor_name() {
  const auto text = base::read_file("/proc/cpuinfo");
  if (!text) return {};
  const std::size_t line = text->find("model name");
  if (line == std::string::npos) return {};
  const std::size_t begin = text->find_first_not_of(" \t", text->find(':', line) + 1);
  return begin == std::string::npos ? "" : text->substr(begin, text->find('\n', begin) - begin);
}

/// What would fail for every mechanism is reported before the first one.
Result<void> check_options(const BenchOptions& options) {
  SOTTO_TRY(check_epsilon("epsilon", options.epsilon));
  if (options.words == 0) return base::not_allowed("words", "0", "a whole number from 1 on");
  if (!options.model.empty()) {
    SOTTO_ASSIGN(const auto file, find_model(options.model));
    SOTTO_TRY(Model::open(file));
  }
  if (options.data) SOTTO_TRY(base::open_for_reading(*options.data));
  if (!options.data && (options.format || !options.fields.empty()))
    return fail_parameter(options.format ? "format" : "field", "",
                          base::format_message("needs {{data}} FILE"));
  return {};
}

double a_day(double tokens, double seconds) {
  return seconds > 0 ? tokens / seconds * kSecondsADay : 0;
}

/// Bars per mechanism, grouped by what was rewritten, on a logarithmic axis.
std::string speed_svg(const BenchReport& report) {
  BarPlot plot;
  plot.title = fmt::format("Tokens per day at ε = {:g}", report.epsilon);
  plot.y_label = "million tokens per day";
  plot.log_y = true;
  plot.groups = {fmt::format("{} words", report.words), "again"};
  if (!report.data.empty()) plot.groups.push_back(report.data);
  for (const BenchResult& result : report.results) {
    if (result.refusal) continue;
    BarPlot::Series& series = plot.series.emplace_back();
    series.name = result.name();
    series.style = plot.series.size() - 1;
    series.values = {result.words_a_day() / kMillion, result.words_again_a_day() / kMillion};
    if (!report.data.empty()) series.values.emplace_back(result.data_a_day() / kMillion);
  }
  return to_svg(plot);
}

}  // namespace

double BenchResult::words_a_day() const {
  return a_day(static_cast<double>(words), first_seconds);
}

double BenchResult::words_again_a_day() const {
  return a_day(static_cast<double>(words), again_seconds);
}

double BenchResult::data_a_day() const {
  return a_day(static_cast<double>(data_tokens), data_seconds);
}

double BenchResult::bytes_a_word() const {
  return words > 0 ? static_cast<double>(words_bytes) / static_cast<double>(words) : 0;
}

std::string BenchResult::name() const {
  return MechanismVariant{mechanism, parameters}.name();
}

Result<BenchReport> bench(const BenchOptions& options) {
  SOTTO_TRY(check_options(options));
  std::vector<std::string> names = options.mechanisms;
  if (names.empty())
    for (const MechanismInfo& info : mechanisms()) names.push_back(info.name);
  SOTTO_ASSIGN(const std::vector<MechanismVariant> variants, expand_grid(names, options.grid));
  std::unique_ptr<pipeline::OutputTarget> picture;  // opened first, so that no run is lost for want of it
  if (options.plot) {
    SOTTO_ASSIGN(picture, pipeline::open_output(options.plot));
  }
  BenchReport report;
  report.processor = processor_name();
  report.processors = base::thread_count(0);
  report.threads = base::thread_count(options.resources.threads);
  report.epsilon = options.epsilon;
  report.words = options.words;
  if (options.data) report.data = options.data->filename().string();
  report.peak_memory = forget_peak();
  for (const MechanismVariant& variant : variants) {
    BenchResult& result = report.results.emplace_back();
    result.mechanism = variant.mechanism;
    result.parameters = variant.parameters;
    const auto answer = compute_in_child(
        [&] {
          return BenchSubject(variant, options)
              .answer()
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        },
        [&] { return !options.progress || options.progress(report.results.size() - 1, variants.size()); });
    if (answer) {
      read_answer(*answer, result);
    } else if (answer.error().code == Errc::interrupted) {
      return tl::unexpected(answer.error());
    } else {
      result.refusal = std::move(answer.error());
    }
  }
  if (picture) {
    SOTTO_TRY(picture->write(speed_svg(report)));
    SOTTO_TRY(picture->commit());
  }
  return report;
}

}  // namespace sotto
