// sotto audit --method exact
#pragma once

#include "audit.hpp"

namespace sotto::cli {

inline constexpr const char* kExactGroup = "Exact";

struct ExactArguments {
  std::string target = "nominal";
  std::string sample;
};

/// Adds the options specific to this method.
void add_exact_options(CLI::App& command, ExactArguments& arguments);

/// Computes, stores and prints the certificate.
Result<void> audit_exact(const AuditArguments& shared, const ExactArguments& own);

}  // namespace sotto::cli
