// The key of the golden vectors.
#pragma once

#include <numeric>

#include "random/key.hpp"

namespace sotto::testing {

/// 0, 1, …, 31: bytes(range(32)) in Python.
inline random::Key counting_key() {
  random::Key key;
  std::iota(key.begin(), key.end(), static_cast<unsigned char>(0));
  return key;
}

}  // namespace sotto::testing
