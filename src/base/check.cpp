#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace sotto::base {

void end_after_failed_check(const char* condition, const char* function) {
  std::fprintf(stderr, "sotto: a bug: %s does not hold in %s\n", condition, function);
  std::abort();
}

}  // namespace sotto::base
