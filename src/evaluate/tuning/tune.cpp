// Algorithm 2 of the paper "On a Utilitarian Approach to Privacy Preserving Text Generation", generalized. As
// printed it doubles ε until t = 0 meets the limit and then tries other t at this ε alone, assuming that the
// loss falls as ε grows. Here every combination of ε and parameters is measured and nothing is assumed.
#include <algorithm>

#include <sotto/tune.hpp>

#include "base/checked_value.hpp"
#include "base/stopwatch.hpp"
#include "evaluate/tuning/inference_error.hpp"
#include "evaluate/tuning/tune_plot.hpp"
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

Result<void> check_options(const TuneOptions& options) {
  if (options.mechanisms.empty()) return fail_parameter("mechanism", "", "missing; give at least one name");
  if (options.epsilons.empty())
    return fail_parameter("epsilon", "", "missing; give numbers from 1e-9 to 1e6");
  if (options.largest_loss >= 0) return {};
  return base::not_allowed("max_loss", options.largest_loss, "a number from 0 on");
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

Result<TuneReport> tune(const TuneOptions& options) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(const std::vector<MechanismVariant> variants, expand_grid(options.mechanisms, options.grid));
  SOTTO_ASSIGN(const auto file,
               find_model(MechanismSpec{.name = options.mechanisms.front(), .model = options.model}));
  SOTTO_ASSIGN(auto model, Model::open(file));
  SOTTO_ASSIGN(const WordTask task, WordTask::read(std::move(model), options.task));
  std::unique_ptr<pipeline::OutputTarget> picture;  // opened first, so that no run is lost for want of it
  if (options.plot) {
    SOTTO_ASSIGN(picture, pipeline::open_output(options.plot));
  }
  TuneReport report;
  report.model = task.model->name();
  report.listed = task.listed;
  report.covered = task.secrets.words.size();
  report.prior = options.task.prior;
  report.outputs = options.task.outputs;
  report.objective = options.objective;
  report.largest_loss = options.largest_loss;
  report.draws = options.draws;
  report.confidence = options.confidence;
  report.blind_error = 1 - *std::max_element(task.secrets.prior.begin(), task.secrets.prior.end());
  const InferenceErrorOptions measuring{options.draws, options.confidence, options.seed, options.resources,
                                        options.progress};
  SOTTO_ASSIGN(report.points, measure_inference_error(task, variants, options.epsilons, measuring));
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
