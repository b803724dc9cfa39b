#include "evaluate/experiment/seeds.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"

namespace sotto::evaluate {

random::Key experiment_key(std::uint64_t seed, std::string_view purpose) {
  return base::sha256(fmt::format("sotto-experiment-1\n{}\n{}", seed, purpose));
}

std::uint64_t experiment_seed(std::uint64_t seed, std::string_view purpose) {
  const random::Key key = experiment_key(seed, purpose);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | key[i];
  return value >> 1;
}

}  // namespace sotto::evaluate
