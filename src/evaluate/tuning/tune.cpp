// Algorithm 2 of the paper "On a Utilitarian Approach to Privacy Preserving Text Generation", generalized. As
// printed it doubles ε until t = 0 meets the limit and then tries other t at this ε alone, assuming that the
// loss falls as ε grows. Here every combination of ε and parameters is measured and nothing is assumed.
#include <algorithm>
#include <map>

#include <sotto/tune.hpp>

#include "base/checked_value.hpp"
#include "base/stopwatch.hpp"
#include "evaluate/tuning/inference_error.hpp"
#include "evaluate/tuning/tune_plot.hpp"
#include "mechanisms/mechanism_family.hpp"
#include "pipeline/records/output_target.hpp"

namespace sotto {
using namespace evaluate;
namespace {

class Chooser {
 public:
  Chooser(TuneReport& report, bool unproven) : report_(report), unproven_(unproven) {}

  void run() {
    std::vector<std::size_t> allowed;
    for (std::size_t i = 0; i < report_.points.size(); ++i)
      if (!report_.points[i].refusal && (unproven_ || report_.points[i].guarantee != GuaranteeKind::none))
        allowed.push_back(i);
    std::stable_sort(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
      return loss(a).value != loss(b).value ? loss(a).value < loss(b).value : gain(a) > gain(b);
    });
    double best = -1;
    for (const std::size_t i : allowed) {
      if (gain(i) <= best) continue;
      best = gain(i);
      report_.frontier.push_back(i);
    }
    report_.choice = largest(allowed, [&](std::size_t i) { return loss(i).value <= report_.largest_loss; });
    report_.certain_choice =
        largest(allowed, [&](std::size_t i) { return loss(i).high <= report_.largest_loss; });
    report_.choice_is_certain = report_.choice && loss(*report_.choice).high <= report_.largest_loss;
  }

 private:
  const Estimate& loss(std::size_t i) const { return report_.points[i].utility_loss; }
  double gain(std::size_t i) const { return report_.objective_of(report_.points[i]).value; }

  /// The one of `points`, sorted by loss, with the largest gain; among equals the first, which loses least.
  template <class Allows>
  std::optional<std::size_t> largest(const std::vector<std::size_t>& points, const Allows& allows) const {
    std::optional<std::size_t> best;
    for (const std::size_t i : points)
      if (allows(i) && (!best || gain(i) > gain(*best))) best = i;
    return best;
  }

  TuneReport& report_;
  bool unproven_;
};

Result<void> check_loss(std::string_view parameter, double loss) {
  if (loss >= 0 && loss <= kLargestLoss) return {};
  return base::not_allowed(parameter, loss, fmt::format("a number from 0 to {:g}", kLargestLoss));
}

Result<void> check_options(const TuneOptions& options) {
  if (options.mechanisms.empty()) return fail_parameter("mechanism", "", "missing; give at least one name");
  if (options.epsilons.empty())
    return fail_parameter("epsilon", "", "missing; give numbers from 1e-9 to 1e6");
  SOTTO_TRY(check_loss("max_loss", options.largest_loss));
  return check_loss("unlabelled_loss", options.task.unlabelled_loss);
}

/// The models of a run, each opened once, and which of them a mechanism may use.
class TunedModels {
 public:
  static Result<TunedModels> open(const TuneOptions& options) {
    TunedModels models;
    for (const std::string& name : options.models) {
      SOTTO_ASSIGN(const auto file, find_model(name));
      SOTTO_TRY(models.add(file, name));
    }
    for (const std::string& mechanism : options.mechanisms) {
      std::vector<std::size_t>& usable = models.usable_[mechanism];
      if (!options.models.empty()) {
        for (std::size_t i = 0; i < models.opened_.size(); ++i) usable.push_back(i);
        continue;
      }
      SOTTO_ASSIGN(const auto file, find_model(MechanismSpec{.name = mechanism}));
      SOTTO_ASSIGN(const std::size_t own, models.add(file, ""));
      usable = {own};
    }
    return models;
  }

  const std::vector<std::shared_ptr<const Model>>& all() const { return opened_; }
  const std::string& name(std::size_t model) const { return names_[model]; }

  /// The first model that the variant can use. Trying is the only general answer, and fails at once where a
  /// model lacks lists or vectors.
  Result<std::size_t> choose(const MechanismVariant& variant, const std::vector<WordTask>& tasks,
                             const MechanismResources& resources) const {
    const std::vector<std::size_t>& usable = usable_.at(variant.mechanism);
    if (usable.size() == 1) return usable.front();
    std::optional<Error> first;
    for (const std::size_t model : usable) {
      const auto prepared =
          mechanism::prepare_mechanism(variant.mechanism, tasks[model].model, variant.parameters, resources);
      if (prepared) return model;
      if (!first) first = prepared.error();
    }
    return tl::unexpected(*first);
  }

 private:
  Result<std::size_t> add(const std::filesystem::path& file, const std::string& name) {
    for (std::size_t i = 0; i < opened_.size(); ++i)
      if (opened_[i]->path() == file) return i;
    SOTTO_ASSIGN(auto model, Model::open(file));
    opened_.push_back(std::move(model));
    names_.push_back(name);
    return opened_.size() - 1;
  }

  std::vector<std::shared_ptr<const Model>> opened_;
  std::vector<std::string> names_;  // as given; empty: a mechanism's default
  std::map<std::string, std::vector<std::size_t>> usable_;
};

/// Progress over several parts, each of which counts from 0 to its own total.
ProgressCallback part_of(const ProgressCallback& whole, std::size_t part, std::size_t parts) {
  if (!whole || parts == 1) return whole;
  return [=](std::uint64_t done, std::uint64_t total) { return whole(part * total + done, parts * total); };
}

/// Every variant at every ε, in the order of the variants, each on the first model that it can use.
Result<std::vector<TradeOff>> measure_all(const TunedModels& models, const std::vector<WordTask>& tasks,
                                          const std::vector<MechanismVariant>& variants,
                                          const TuneOptions& options) {
  std::vector<std::vector<std::size_t>> by_model(tasks.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    SOTTO_ASSIGN(const std::size_t model, models.choose(variants[v], tasks, options.resources));
    by_model[model].push_back(v);
  }
  const std::size_t epsilons = options.epsilons.size();
  std::vector<TradeOff> points(variants.size() * epsilons);
  for (std::size_t model = 0; model < tasks.size(); ++model) {
    if (by_model[model].empty()) continue;
    std::vector<MechanismVariant> own;
    for (const std::size_t v : by_model[model]) own.push_back(variants[v]);
    const InferenceErrorOptions measuring{options.draws, options.confidence, options.seed, options.resources,
                                          part_of(options.progress, model, tasks.size())};
    SOTTO_ASSIGN(std::vector<TradeOff> measured,
                 measure_inference_error(tasks[model], own, options.epsilons, measuring));
    for (std::size_t i = 0; i < measured.size(); ++i) {
      measured[i].model = models.name(model);
      points[by_model[model][i / epsilons] * epsilons + i % epsilons] = std::move(measured[i]);
    }
  }
  return points;
}

/// If everything requested is refused, there is nothing to report but the reason.
Result<void> check_points(const std::vector<TradeOff>& points) {
  for (const TradeOff& point : points)
    if (!point.refusal) return {};
  Error error = *points.front().refusal;
  error.code = Errc::invalid_argument;
  return tl::unexpected(std::move(error));
}

}  // namespace

const Estimate& TuneReport::objective_of(const TradeOff& point) const {
  return objective == TuneObjective::inference_error ? point.inference_error : point.best_guess_error;
}

Result<TuneReport> tune(const TuneOptions& given) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_options(given));
  TuneOptions options = given;
  std::sort(options.epsilons.begin(), options.epsilons.end());
  options.epsilons.erase(std::unique(options.epsilons.begin(), options.epsilons.end()),
                         options.epsilons.end());
  SOTTO_ASSIGN(const std::vector<MechanismVariant> variants, expand_grid(options.mechanisms, options.grid));
  SOTTO_ASSIGN(const TunedModels models, TunedModels::open(options));
  SOTTO_ASSIGN(const std::vector<WordTask> tasks, WordTask::read_all(models.all(), options.task));
  std::unique_ptr<pipeline::OutputTarget> picture;  // opened first, so that no run is lost for want of it
  if (options.plot) {
    SOTTO_ASSIGN(picture, pipeline::open_output(options.plot));
  }
  TuneReport report;
  for (const auto& model : models.all()) report.models.push_back(model->name());
  report.listed = tasks.front().listed;
  report.covered = tasks.front().secrets.words.size();
  report.prior = options.task.prior;
  report.outputs = options.task.outputs;
  report.objective = options.objective;
  report.largest_loss = options.largest_loss;
  report.draws = options.draws;
  report.confidence = options.confidence;
  const std::vector<double>& prior = tasks.front().secrets.prior;
  report.blind_error = 1 - *std::max_element(prior.begin(), prior.end());
  SOTTO_ASSIGN(report.points, measure_all(models, tasks, variants, options));
  SOTTO_TRY(check_points(report.points));
  Chooser(report, options.unproven).run();
  if (picture) {
    SOTTO_TRY(picture->write(frontier_svg(report)));
    SOTTO_TRY(picture->commit());
  }
  report.seconds = watch.seconds();
  return report;
}

}  // namespace sotto
