// The state of the processor's arithmetic.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace sotto::lm {

/// During its lifetime this thread rounds to nearest and keeps denormal numbers, whatever another library or
/// the caller has set.
class FloatMode {
 public:
#if defined(__x86_64__)
  FloatMode() : before_(_mm_getcsr()) {
    _mm_setcsr(kDefault);
  }
  ~FloatMode() {
    _mm_setcsr(before_);
  }
#else
  FloatMode() = default;
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

#if defined(__x86_64__)
 private:
  static constexpr unsigned kDefault = 0x1F80;  // all exceptions masked, none pending
  unsigned before_;
#endif
};

}  // namespace sotto::lm
