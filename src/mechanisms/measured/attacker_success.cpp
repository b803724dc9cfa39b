#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <sotto/attacker_success.hpp>

#include "mechanisms/measured/measured_attackers.hpp"

namespace sotto {
using namespace mechanism;
namespace {

constexpr double kMargin = 0.05;  // of UsefulRange

const MeasuredAttackers* find_measured(std::string_view mechanism) {
  const auto& all = measured_attackers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const MeasuredAttackers& measured) {
    return measured.mechanism == mechanism;
  });
  return found == all.end() ? nullptr : &*found;
}

bool has_default_parameters(std::string_view mechanism, const ParameterValues& given) {
  const auto info = find_mechanism(mechanism);
  if (!info) return false;
  const auto complete = complete_parameters(**info, given);
  const auto defaults = complete_parameters(**info, {});
  return complete && defaults && *complete == *defaults;
}

/// `a` at share 0, `b` at share 1.
double between(double a, double b, double share) {
  return a + (b - a) * share;
}

AttackerSuccess figures_at(const MeasuredAttackers& measured, double epsilon) {
  const auto& points = measured.points;
  AttackerSuccess figures;
  figures.blind = measured.blind;
  figures.candidates = measured.candidates;
  figures.model = measured.model;
  const auto above = std::lower_bound(points.begin(), points.end(), epsilon,
                                      [](const MeasuredPoint& p, double value) { return p.epsilon < value; });
  if (above == points.end() || above == points.begin()) {
    const MeasuredPoint& nearest = above == points.end() ? points.back() : points.front();
    if (epsilon < nearest.epsilon) figures.bound = FigureBound::at_most;
    if (epsilon > nearest.epsilon) figures.bound = FigureBound::at_least;
    figures.success = nearest.success;
    figures.changed = nearest.changed;
    return figures;
  }
  const MeasuredPoint& below = *(above - 1);
  const double share = std::log(epsilon / below.epsilon) / std::log(above->epsilon / below.epsilon);
  figures.success = between(below.success, above->success, share);
  figures.changed = between(below.changed, above->changed, share);
  return figures;
}

/// The first ε, to two digits, at which `value` of a point reaches `goal`; the last one if it never does.
template <class Value>
double first_epsilon(const std::vector<MeasuredPoint>& points, double goal, const Value& value) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (value(points[i]) < goal) continue;
    if (i == 0) return points[i].epsilon;
    const double share = (goal - value(points[i - 1])) / (value(points[i]) - value(points[i - 1]));
    const double epsilon = points[i - 1].epsilon * std::pow(points[i].epsilon / points[i - 1].epsilon, share);
    const double unit = std::pow(10, std::floor(std::log10(epsilon)) - 1);
    return std::round(epsilon / unit) * unit;
  }
  return points.back().epsilon;
}

/// Nearly all is not rounded to all.
std::string percent(double share) {
  if (share > 0.995 && share < 1) return fmt::format("{:.1f}%", std::floor(1000 * share) / 10);
  return fmt::format("{:.0f}%", 100 * share);
}

/// A number with commas between groups of three digits.
std::string grouped(std::uint64_t number) {
  if (number < 1000) return std::to_string(number);
  return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

const char* in_words(FigureBound bound) {
  switch (bound) {
    case FigureBound::at_most:
      return "at most";
    case FigureBound::at_least:
      return "at least";
    case FigureBound::about:
      break;
  }
  return "about";
}

}  // namespace

std::optional<AttackerSuccess> attacker_success(std::string_view mechanism, double epsilon,
                                                const ParameterValues& parameters,
                                                std::string_view model_digest) {
  const MeasuredAttackers* const measured = find_measured(mechanism);
  if (measured == nullptr || measured->model_digest != model_digest || !(epsilon > 0) ||
      !has_default_parameters(mechanism, parameters))
    return std::nullopt;
  return figures_at(*measured, epsilon);
}

std::optional<AttackerSuccess> attacker_success(const OpenMechanism& open) {
  return attacker_success(open.spec.name, open.spec.epsilon, open.spec.parameters, open.model->digest());
}

std::string describe(const AttackerSuccess& figures) {
  return fmt::format(
      "an attacker with public frequencies recovers {} {} of the words (of {} candidates; blindly {}; "
      "measured "
      "for {})",
      in_words(figures.bound), percent(figures.success), grouped(figures.candidates), percent(figures.blind),
      figures.model);
}

std::optional<UsefulRange> useful_range(std::string_view mechanism) {
  const MeasuredAttackers* const measured = find_measured(mechanism);
  if (measured == nullptr) return std::nullopt;
  const auto& points = measured->points;
  const double floor = points.front().success;
  UsefulRange range;
  range.flat = std::abs(points.back().success - floor) < kMargin;
  range.low = range.flat ? points.front().epsilon
                         : first_epsilon(points, floor + kMargin * (points.back().success - floor),
                                         [](const MeasuredPoint& p) { return p.success; });
  range.high = range.flat ? points.back().epsilon
                          : first_epsilon(points, 1 - points.back().changed - kMargin,
                                          [](const MeasuredPoint& p) { return 1 - p.changed; });
  range.at_low = figures_at(*measured, range.low);
  range.at_high = figures_at(*measured, range.high);
  return range;
}

std::string describe(const UsefulRange& range) {
  if (range.flat)
    return fmt::format("hardly matters: an attacker recovers {} of the words at any",
                       percent(range.at_low.success));
  return fmt::format("{:g} to {:g}, where an attacker recovers {} to {} of the words", range.low, range.high,
                     percent(range.at_low.success), percent(range.at_high.success));
}

}  // namespace sotto
