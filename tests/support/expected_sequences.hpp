// Sequences of the files with a language model's expected answers.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "lm/language_model.hpp"

namespace sotto::testing {

inline std::vector<lm::Sequence> sequences_of(const nlohmann::json& expected) {
  std::vector<lm::Sequence> sequences;
  for (const nlohmann::json& ids : expected.at("sequences")) sequences.push_back({ids, {}, {}, {}});
  return sequences;
}

}  // namespace sotto::testing
