#include "evaluate/tuning/inference_error.hpp"

#include <algorithm>
#include <memory>

#include <sotto/budget_plan.hpp>

#include "audit/attack/joint_sums.hpp"
#include "audit/estimate.hpp"
#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "base/work_meter.hpp"
#include "evaluate/tuning/common_random_numbers.hpp"
#include "mechanisms/mechanism_family.hpp"

namespace sotto {
using namespace evaluate;
namespace {

/// A variant at an ε, and where its results go.
struct MeasuredMechanism {
  std::unique_ptr<Mechanism> mechanism;
  TradeOff* result;
};

class Measurement {
 public:
  Measurement(const WordTask& task, const InferenceErrorOptions& options, std::size_t epsilons)
      : task_(task),
        options_(options),
        epsilons_(epsilons),
        threads_(base::thread_count(options.resources.threads)) {}

  /// Measures all mechanisms at one ε.
  Result<void> measure(const std::vector<MeasuredMechanism>& subjects) {
    std::vector<const MeasuredMechanism*> exact;
    std::vector<const MeasuredMechanism*> sampled;
    for (const MeasuredMechanism& subject : subjects)
      (subject.mechanism->row(task_.secrets.words.front()).empty() ? sampled : exact).push_back(&subject);
    std::vector<NamedMechanism> named;
    named.reserve(sampled.size());
    for (const MeasuredMechanism* subject : sampled)
      named.push_back({subject->mechanism.get(), subject->result->name()});
    const std::vector<DrawGroup> groups = group_by_noise(named);
    if (total_ == 0) total_ = (exact.size() + groups.size()) * epsilons_ * task_.secrets.words.size();
    for (const MeasuredMechanism* subject : exact) SOTTO_TRY(evaluate_exactly(*subject));
    for (const DrawGroup& group : groups) SOTTO_TRY(sample(sampled, named, group));
    return {};
  }

 private:
  Result<void> evaluate_exactly(const MeasuredMechanism& subject) {
    const std::size_t secrets = task_.secrets.words.size();
    audit::JointSums joint(task_.model->size());
    std::vector<std::vector<double>> rows(audit::JointSums::kRowsAtOnce);
    std::vector<double> losses(rows.size());
    double loss = 0;
    double stays = 0;
    for (std::size_t first = 0; first < secrets; first += rows.size()) {
      const std::size_t count = std::min(rows.size(), secrets - first);
      base::parallel_for(count, 1, threads_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          rows[i] = subject.mechanism->row(task_.secrets.words[first + i]);
          losses[i] = expected_loss(task_.secrets.words[first + i], rows[i]);
        }
      });
      joint.add(std::span(task_.secrets.prior).subspan(first, count), rows, threads_);
      for (std::size_t i = 0; i < count; ++i) {
        loss += task_.secrets.prior[first + i] * losses[i];
        stays += task_.secrets.prior[first + i] * rows[i][task_.secrets.words[first + i]];
      }
      SOTTO_TRY(report(count));
    }
    subject.result->exact = true;
    subject.result->inference_error = audit::exactly(std::max(0.0, joint.inference_error()));
    subject.result->best_guess_error = audit::exactly(std::max(0.0, 1 - joint.best_guess_success()));
    subject.result->utility_loss = audit::exactly(loss);
    subject.result->changed = audit::exactly(std::max(0.0, 1 - stays));
    return {};
  }

  Result<void> sample(const std::vector<const MeasuredMechanism*>& sampled,
                      const std::vector<NamedMechanism>& named, const DrawGroup& places) {
    std::vector<NamedMechanism> group;
    for (const std::size_t place : places) group.push_back(named[place]);
    SOTTO_ASSIGN(const std::vector<OutputTally> tallies,
                 draw_outputs(task_.secrets.words, group,
                              {options_.draws, options_.seed, options_.resources.threads,
                               [&](std::size_t words) { return report(words); }}));
    base::parallel_for(group.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        estimate_figures(task_, tallies[i], options_.confidence, *sampled[places[i]]->result);
    });
    return {};
  }

  Result<void> report(std::size_t words) {
    done_ += words;
    return base::report_progress(options_.progress, done_, total_);
  }

  double expected_loss(TokenId word, std::span<const double> row) const {
    double loss = 0;
    for (TokenId output = 0; output < row.size(); ++output) loss += row[output] * task_.losses(word, output);
    return loss;
  }

  const WordTask& task_;
  const InferenceErrorOptions& options_;
  std::size_t epsilons_;
  unsigned threads_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// Without what differs between mechanisms of one unit: ε·min(d, γ) is at most ε·d.
std::string unit_of_epsilon(const Guarantee& guarantee) {
  if (guarantee.kind == GuaranteeKind::none) return "no guarantee";
  const std::string name = unit_name(guarantee.unit);
  return name.substr(0, name.find(','));
}

Result<void> check_options(std::span<const double> epsilons, const InferenceErrorOptions& options) {
  for (const double epsilon : epsilons) SOTTO_TRY(check_epsilon("epsilon", epsilon));
  if (options.draws < 2 || options.draws > 100'000'000)
    return base::not_allowed("draws", options.draws, "a whole number from 2 to 100000000");
  if (options.confidence >= 0.5 && options.confidence < 1) return {};
  return base::not_allowed("confidence", options.confidence, "a number from 0.5 to below 1");
}

}  // namespace

std::string TradeOff::name() const {
  return MechanismVariant{mechanism, parameters}.name();
}

Result<std::vector<TradeOff>> evaluate::measure_inference_error(const WordTask& task,
                                                                std::span<const MechanismVariant> variants,
                                                                std::span<const double> epsilons,
                                                                const InferenceErrorOptions& options) {
  SOTTO_TRY(check_options(epsilons, options));
  std::vector<mechanism::MechanismFamily> families;
  for (const MechanismVariant& variant : variants) {
    SOTTO_ASSIGN(
        mechanism::MechanismFamily family,
        mechanism::prepare_mechanism(variant.mechanism, task.model, variant.parameters, options.resources));
    families.push_back(std::move(family));
  }
  std::vector<TradeOff> results(variants.size() * epsilons.size());
  Measurement measurement(task, options, epsilons.size());
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    std::vector<MeasuredMechanism> subjects;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      TradeOff& result = results[v * epsilons.size() + e];
      result.mechanism = variants[v].mechanism;
      result.parameters = variants[v].parameters;
      result.epsilon = epsilons[e];
      auto mechanism = families[v].at(epsilons[e]);
      if (!mechanism) {
        result.refusal = std::move(mechanism.error());
        continue;
      }
      const Guarantee guarantee = (*mechanism)->guarantee();
      result.guarantee = guarantee.kind;
      result.unit = unit_of_epsilon(guarantee);
      subjects.push_back({std::move(*mechanism), &result});
    }
    SOTTO_TRY(measurement.measure(subjects));
  }
  return results;
}

}  // namespace sotto
