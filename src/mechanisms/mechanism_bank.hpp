// The mechanisms of one family by ε, made on first use.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "mechanisms/mechanism_family.hpp"

namespace sotto::mechanism {

/// Keeps the most recently used mechanisms. Which ones it keeps does not affect results. Thread-safe.
class MechanismBank {
 public:
  /// Keeps mechanisms whose own memory totals at most `memory` bytes, but always at least one.
  MechanismBank(MechanismFamily family, std::uint64_t memory);

  /// The mechanism at this ε. An ε outside the allowed range, or one the family refuses, is an error.
  Result<std::shared_ptr<const Mechanism>> at(double epsilon);

  /// How many mechanisms a thread should use at a time, so that those in use take no more memory than those
  /// that are kept.
  std::size_t most_at_once() const;

 private:
  struct Entry {
    double epsilon;
    std::shared_ptr<const Mechanism> mechanism;
  };

  MechanismFamily family_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<double, std::list<Entry>::iterator> places_;
};

}  // namespace sotto::mechanism
