#include "lm/cpu_features.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sotto::lm {

#if defined(__x86_64__)
namespace {

constexpr unsigned kAmxBit = 24;              // of EDX of CPUID leaf 7: AMX-TILE
constexpr unsigned kOsxsaveBit = 27;          // of ECX of CPUID leaf 1
constexpr unsigned kTileStates = 0b11 << 17;  // of XCR0: tile configuration and tile data
constexpr long kRequestPermission = 0x1023;   // ARCH_REQ_XCOMP_PERM, which older system headers lack
constexpr unsigned long kTileData = 18;

bool system_saves_tiles() {
  unsigned low = 0;
  unsigned high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileStates) == kTileStates;
}

}  // namespace

bool processor_allows_amx() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d >> kAmxBit & 1) == 0) return true;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c >> kOsxsaveBit & 1) == 0) return false;
  return system_saves_tiles() && ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

#else

bool processor_allows_amx() {
  return true;
}

#endif

void restrain_libraries() {
  if (!processor_allows_amx()) ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

}  // namespace sotto::lm
