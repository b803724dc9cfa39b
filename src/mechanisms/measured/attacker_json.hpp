// The attacker's success as a part of other JSON texts.
#pragma once

#include <sotto/attacker_success.hpp>

#include "base/json.hpp"

namespace sotto::mechanism {

inline nlohmann::ordered_json attacker_json(const AttackerSuccess& figures) {
  constexpr const char* kBounds[] = {"about", "at most", "at least"};
  return {{"success", figures.success},       {"bound", kBounds[static_cast<std::size_t>(figures.bound)]},
          {"changed", figures.changed},       {"blind_success", figures.blind},
          {"candidates", figures.candidates}, {"model", figures.model}};
}

}  // namespace sotto::mechanism
