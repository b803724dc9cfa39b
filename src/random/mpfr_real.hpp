// RAII wrappers for MPFR.
#pragma once

#include <mpfr.h>

namespace sotto::random {

/// One number. 192 bits hold products of 53-bit and 64-bit numbers exactly, and powers keep 64 correct bits
/// over 2^32 steps.
class MpfrReal {
 public:
  explicit MpfrReal(mpfr_prec_t precision = 192) { mpfr_init2(value_, precision); }
  MpfrReal(const MpfrReal&) = delete;
  MpfrReal& operator=(const MpfrReal&) = delete;
  ~MpfrReal() { mpfr_clear(value_); }
  // NOLINTBEGIN(*-explicit-*): MPFR's functions take pointers
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }
  // NOLINTEND(*-explicit-*)

 private:
  mpfr_t value_;
};

/// MPFR caches constants such as log 2 per thread; short-lived threads would accumulate them.
struct MpfrCleanup {
  MpfrCleanup() = default;
  MpfrCleanup(const MpfrCleanup&) = delete;
  MpfrCleanup& operator=(const MpfrCleanup&) = delete;
  ~MpfrCleanup() { mpfr_free_cache(); }
};

}  // namespace sotto::random
