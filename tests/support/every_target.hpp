// Runs something with every instruction set that Highway compiled kernels for and this processor has.
#pragma once

// Highway omits it unless asked.
#define HWY_WANT_AVX3_DL
#include <hwy/highway.h>

namespace sotto::testing {

/// Calls body(name) with each chosen in turn, and leaves the best one chosen. Returns how many there were.
template <class Body>
std::size_t on_every_target(const Body& body) {
  std::size_t count = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    body(hwy::TargetName(target));
    ++count;
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return count;
}

}  // namespace sotto::testing
