// Results of independent libraries (data/make_fixtures.py), and figures printed in a paper.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace sotto::testing {

inline nlohmann::json read_json(const std::string& name) {
  std::ifstream file(std::string(SOTTO_TEST_DATA "/") + name);
  return nlohmann::json::parse(file);
}

inline const nlohmann::json& reference() {
  static const nlohmann::json values = read_json("reference.json");
  return values;
}

}  // namespace sotto::testing
