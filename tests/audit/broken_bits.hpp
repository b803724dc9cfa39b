// Randomness that is broken on purpose.
#pragma once

#include <sotto/black_box.hpp>

#include "random/bit_sources.hpp"

namespace sotto::testing {

/// A sound generator seeded with too few bits: each run takes one of 2^bits streams.
inline BitSourceMaker few_seeds(int bits) {
  return [bits](std::uint64_t run) {
    random::ChaChaBitSource seeds(random::key_from_seed(run));
    return std::make_unique<random::ChaChaBitSource>(random::key_from_seed(seeds.next() >> (64 - bits)));
  };
}

/// The same stream in every run, as with a fixed default seed.
inline BitSourceMaker one_seed() {
  return [](std::uint64_t) { return std::make_unique<random::ChaChaBitSource>(random::key_from_seed(42)); };
}

/// Every second word is the complement of the one before it.
class AntitheticBits final : public BitSource {
 public:
  explicit AntitheticBits(std::uint64_t run) : stream_(random::key_from_seed(run)) {}

 private:
  void refill() override {
    words_[0] = stream_.next();
    words_[1] = ~words_[0];
    next_ = words_;
    end_ = words_ + 2;
  }
  random::ChaChaBitSource stream_;
  std::uint64_t words_[2] = {};
};

}  // namespace sotto::testing
