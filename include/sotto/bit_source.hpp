// The source of all randomness. Samplers and mechanisms take a BitSource, so a test can script the bits and a
// seeded run executes exactly the samplers that a private run executes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sotto/api.hpp>

namespace sotto {

/// An endless sequence of uniform, independent 64-bit words. Not thread-safe: one thread at a time per
/// source.
class SOTTO_API BitSource {
 public:
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;
  virtual ~BitSource() = default;

  /// The next word of the sequence.
  std::uint64_t next() {
    if (next_ == end_) refill();
    return *next_++;
  }

 protected:
  BitSource() = default;

  /// Makes at least one word available: sets next_ < end_.
  virtual void refill() = 0;

  const std::uint64_t* next_ = nullptr;
  const std::uint64_t* end_ = nullptr;
};

}  // namespace sotto
