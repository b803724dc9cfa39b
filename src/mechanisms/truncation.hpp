// The parameters gamma and beta of the truncated exponential mechanisms.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanisms/mechanism_request.hpp"

namespace sotto {

/// From which distance on all words count as equally far: a fixed one, or one that follows ε.
class Truncation {
 public:
  /// Reads gamma and beta.
  static Result<Truncation> parse(const MechanismRequest& request);

  double at(double epsilon) const;

 private:
  Truncation() = default;

  double fixed_ = -1;  // below 0: follows ε
  double beta_ = 0;
  std::uint64_t words_ = 0;
};

}  // namespace sotto
