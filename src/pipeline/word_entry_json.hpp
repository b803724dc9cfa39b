// What a word enters a mechanism as, as JSON.
#pragma once

#include <sotto/explain.hpp>

#include "base/json.hpp"

namespace sotto::pipeline {

inline nlohmann::ordered_json entry_json(const WordEntry& entry) {
  nlohmann::ordered_json json = {{"path", to_string(entry.path)}};
  if (!entry.word.empty()) json["word"] = entry.word;
  return json;
}

}  // namespace sotto::pipeline
