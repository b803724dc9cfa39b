// sotto audit --method exact
#pragma once

#include "audit.hpp"

namespace sotto::cli {

inline constexpr const char* kExactGroup = "Exact";

struct ExactArguments {
  std::string target = "nominal";
  std::string sample;
};

/// The options that only this method has.
void add_exact_options(CLI::App& command, ExactArguments& arguments);

/// Computes the certificate, stores it and prints it.
Result<void> audit_exact(const AuditArguments& shared, const ExactArguments& own);

}  // namespace sotto::cli
