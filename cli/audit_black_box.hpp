// sotto audit --method black-box
#pragma once

#include "audit.hpp"

namespace sotto::cli {

inline constexpr const char* kBlackBoxGroup = "Black box";

struct BlackBoxArguments {
  std::string through = "mechanism";
  std::string policy = "strict", oov;
  std::string command;
  std::string timeout = "60";
  std::string metric;
  std::string draws = "100000";
  std::string pairs = "20";
  std::string runs = "0";
  std::string confidence = "0.999";
  std::string seed;
  std::vector<std::pair<std::string, std::string>> texts;
  bool vocabulary_only = false;
};

/// Adds the options specific to this method.
void add_black_box_options(CLI::App& command, BlackBoxArguments& arguments);

/// Runs the audit and prints its report.
Result<void> audit_black_box(const AuditArguments& shared, const BlackBoxArguments& own);

}  // namespace sotto::cli
