#include "random/integer_samplers.hpp"

#include <algorithm>
#include <cstddef>

#include "base/check.hpp"

namespace sotto::random {

UniformBatch::UniformBatch(std::uint64_t bound) : bound_(bound), per_word_(1) {
  constexpr std::uint64_t kLargestProduct = std::uint64_t{1} << 48;
  SOTTO_CHECK(bound >= 1 && bound <= kLargestProduct);
  std::uint64_t product = bound;
  while (per_word_ < kMostPerWord && product <= kLargestProduct / bound) {
    product *= bound;
    ++per_word_;
  }
  surplus_ = (0 - product) % product;
}

void UniformBatch::draw(BitSource& bits, std::span<std::uint64_t, kMostPerWord> values) const {
  if (bound_ == 1) {
    std::fill(values.begin(), values.end(), 0);
    return;
  }
  using Wide = unsigned __int128;
  std::uint64_t rest = 0;
  do {
    rest = bits.next();
    for (std::size_t i = 0; i < per_word_; ++i) {
      const Wide product = static_cast<Wide>(rest) * bound_;
      values[i] = static_cast<std::uint64_t>(product >> 64);
      rest = static_cast<std::uint64_t>(product);
    }
  } while (rest < surplus_);
}

void uniform_digits(BitSource& bits, std::span<char> digits) {
  constexpr std::size_t kDigitsOfAWord = 18;
  while (!digits.empty()) {
    const std::span<char> part = digits.first(std::min(digits.size(), kDigitsOfAWord));
    std::uint64_t bound = 1;
    for (std::size_t i = 0; i < part.size(); ++i) bound *= 10;
    std::uint64_t value = uniform_below(bits, bound);
    for (std::size_t i = part.size(); i-- > 0;) {
      part[i] = static_cast<char>('0' + value % 10);
      value /= 10;
    }
    digits = digits.subspan(part.size());
  }
}

}  // namespace sotto::random
