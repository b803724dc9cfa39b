// The parameters gamma and beta of the truncated exponential mechanisms.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

/// The distance from which all words count as equally far: fixed, or dependent on ε.
class Truncation {
 public:
  /// Reads gamma and beta.
  static Result<Truncation> parse(const MechanismRequest& request);

  double at(double epsilon) const;

 private:
  Truncation() = default;

  double fixed_ = -1;  // negative: depends on ε
  double beta_ = 0;
  std::uint64_t words_ = 0;
};

}  // namespace sotto::mechanism
