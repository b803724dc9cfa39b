// Finds an ε by bisection on a grid of round numbers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include <sotto/choose.hpp>
#include <sotto/result.hpp>

namespace sotto::evaluate {

/// Remembers what was measured, so that several searches share it. Figures are taken to be monotone in ε.
class EpsilonScan {
 public:
  /// The figures at an ε; empty if the mechanism refuses it, which is taken for an ε that is too small.
  using Measure = std::function<Result<std::optional<TextFigures>>(double epsilon)>;
  explicit EpsilonScan(Measure measure) : measure_(std::move(measure)) {}

  /// The grid: ten round numbers per decade, from 0.001 to 1000.
  static constexpr int kPlaces = 61;
  static double epsilon_at(int place);

  Result<std::optional<TextFigures>> at(int place);

  /// The smallest place where `reached` holds, or kPlaces. The place before it has been measured.
  Result<int> first(const std::function<bool(const TextFigures&)>& reached);

  /// By place, where the mechanism does not refuse.
  const std::map<int, TextFigures>& measured() const { return measured_; }

 private:
  Measure measure_;
  std::map<int, TextFigures> measured_;
  std::set<int> refused_;  ///< places
};

}  // namespace sotto::evaluate
