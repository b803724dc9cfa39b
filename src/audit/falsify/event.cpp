#include "audit/falsify/event.hpp"

#include <algorithm>
#include <cmath>

#include "audit/clopper_pearson.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kShownOutputs = 5;

struct EventOutput {
  OutputId output;
  double first;
  double second;
};

/// Wilson's bound: k of n, z standard deviations up (z > 0) or down.
double wilson(double k, double n, double z) {
  const double centre = k + z * z / 2;
  const double width = z * std::sqrt(k * (n - k) / n + z * z / 4);
  return (centre + width) / (n + z * z);
}

class Scorer {
 public:
  Scorer(double first_draws, double second_draws, double deviations)
      : first_draws_(first_draws), second_draws_(second_draws), deviations_(deviations) {}

  double operator()(double first, double second) const {
    if (first <= 0) return 0;
    return std::log(wilson(first, first_draws_, -deviations_) / wilson(second, second_draws_, deviations_));
  }

 private:
  double first_draws_;
  double second_draws_;
  double deviations_;
};

std::vector<EventOutput> candidates_of(const Tally& first, const Tally& second,
                                       const std::function<bool(OutputId)>& covers) {
  std::vector<EventOutput> candidates;
  auto other = second.counts().begin();
  for (const auto& [output, count] : first.counts()) {
    while (other != second.counts().end() && other->first < output) ++other;
    const bool shared = other != second.counts().end() && other->first == output;
    if (covers(output))
      candidates.push_back(
          {output, static_cast<double>(count), shared ? static_cast<double>(other->second) : 0.0});
  }
  return candidates;
}

}  // namespace

Tally::Tally(std::span<const OutputId> outputs) : draws_(outputs.size()) {
  std::vector<OutputId> sorted(outputs.begin(), outputs.end());
  std::sort(sorted.begin(), sorted.end());
  for (const OutputId output : sorted) {
    if (counts_.empty() || counts_.back().first != output) counts_.emplace_back(output, 0);
    ++counts_.back().second;
  }
}

std::uint64_t Tally::count(std::span<const OutputId> event) const {
  std::uint64_t sum = 0;
  auto known = counts_.begin();
  for (const OutputId output : event) {
    known = std::lower_bound(known, counts_.end(), std::pair<OutputId, std::uint64_t>(output, 0));
    if (known == counts_.end()) break;
    if (known->first == output) sum += known->second;
  }
  return sum;
}

ChosenEvent choose_event(const Tally& first, const Tally& second, const std::function<bool(OutputId)>& covers,
                         double deviations) {
  std::vector<EventOutput> candidates = candidates_of(first, second, covers);
  // Adding half a count on both sides keeps outputs seen once from looking infinitely informative.
  std::stable_sort(candidates.begin(), candidates.end(), [](const EventOutput& a, const EventOutput& b) {
    return (a.first + 0.5) * (b.second + 0.5) > (b.first + 0.5) * (a.second + 0.5);
  });
  const Scorer score(static_cast<double>(first.draws()), static_cast<double>(second.draws()), deviations);
  ChosenEvent best;
  std::size_t best_size = 0;
  double first_sum = 0;
  double second_sum = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    first_sum += candidates[i].first;
    second_sum += candidates[i].second;
    if (const double value = score(first_sum, second_sum); value > best.score) {
      best.score = value;
      best_size = i + 1;
    }
  }
  for (std::size_t i = 0; i < best_size; ++i) best.outputs.push_back(candidates[i].output);
  for (const EventOutput& candidate : candidates) {
    if (const double value = score(candidate.first, candidate.second); value > best.score)
      best = {{candidate.output}, value};
  }
  std::sort(best.outputs.begin(), best.outputs.end());
  return best;
}

ChosenEvent choose_side(const Tally& first, const Tally& second, std::span<const double> lean,
                        const std::function<bool(OutputId)>& covers, double deviations) {
  std::vector<EventOutput> candidates;
  const auto add = [&](const Tally& tally, double EventOutput::*count) {
    for (const auto& [output, seen] : tally.counts()) {
      if (output >= lean.size() || !covers(output)) continue;
      candidates.push_back({output, 0, 0});
      candidates.back().*count = static_cast<double>(seen);
    }
  };
  add(first, &EventOutput::first);
  add(second, &EventOutput::second);
  std::sort(candidates.begin(), candidates.end(),
            [&](const EventOutput& a, const EventOutput& b) { return lean[a.output] < lean[b.output]; });
  const Scorer score(static_cast<double>(first.draws()), static_cast<double>(second.draws()), deviations);
  ChosenEvent best;
  double border = -INFINITY;
  double first_sum = 0;
  double second_sum = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    first_sum += candidates[i].first;
    second_sum += candidates[i].second;
    const double here = lean[candidates[i].output];
    if (i + 1 < candidates.size() && lean[candidates[i + 1].output] == here) continue;
    if (const double value = score(first_sum, second_sum); value > best.score) {
      best.score = value;
      border = here;
    }
  }
  for (OutputId output = 0; output < lean.size(); ++output)
    if (lean[output] <= border && covers(output)) best.outputs.push_back(output);
  return best;
}

void test_event(const ChosenEvent& event, const std::function<std::string(OutputId)>& name,
                const Tally& first, const Tally& second, double alpha, PairFinding& finding) {
  finding.event.clear();
  for (std::size_t i = 0; i < std::min(kShownOutputs, event.outputs.size()); ++i)
    finding.event.push_back(name(event.outputs[i]));
  finding.event_size = event.outputs.size();
  finding.draws = first.draws();
  finding.first_count = first.count(event.outputs);
  finding.second_count = second.count(event.outputs);
  finding.first_lower = lower_bound(finding.first_count, first.draws(), alpha);
  finding.second_upper = upper_bound(finding.second_count, second.draws(), alpha);
  finding.loss_lower =
      finding.first_lower > finding.second_upper ? std::log(finding.first_lower / finding.second_upper) : 0;
}

}  // namespace sotto::audit
