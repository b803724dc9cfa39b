// Bits written by hand, for golden tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sotto/bit_source.hpp>

namespace sotto::testing {

/// Returns the given words in order and counts them; asking for more throws std::logic_error.
class ScriptedBitSource final : public BitSource {
 public:
  explicit ScriptedBitSource(std::vector<std::uint64_t> words) : words_(std::move(words)) {
    next_ = words_.data();
    end_ = next_ + words_.size();
  }

  std::size_t words_drawn() const { return static_cast<std::size_t>(next_ - words_.data()); }

 private:
  void refill() override { throw std::logic_error("the scripted bits have run out"); }

  std::vector<std::uint64_t> words_;
};

}  // namespace sotto::testing
