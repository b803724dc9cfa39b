// The attacker's success as tools/measure_attackers.py measured it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::mechanism {

struct MeasuredPoint {
  double epsilon;
  double success;
  double changed;
};

/// One mechanism with its default parameters.
struct MeasuredAttackers {
  std::string mechanism;
  std::string model;
  std::string model_digest;
  std::uint64_t candidates;
  double blind;
  std::vector<MeasuredPoint> points;  ///< by ascending ε
};

/// All of them.
const std::vector<MeasuredAttackers>& measured_attackers();

}  // namespace sotto::mechanism
