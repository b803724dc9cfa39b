// Figures with their intervals, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <sotto/attack.hpp>

namespace sotto::audit {

/// As in reports (docs/schemas/estimate.schema.json).
inline nlohmann::ordered_json json_of(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

/// As in the cells of experiments: [value, low, high].
inline nlohmann::ordered_json interval_json(const Estimate& estimate) {
  return {estimate.value, estimate.low, estimate.high};
}

}  // namespace sotto::audit
