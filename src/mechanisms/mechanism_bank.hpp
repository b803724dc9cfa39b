// The mechanisms of one family, by ε, made when they are first needed.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "mechanisms/mechanism_family.hpp"

namespace sotto {

/// Keeps the mechanisms that were used last. Which ones it keeps changes no result. Thread-safe.
class MechanismBank {
 public:
  /// Of what the mechanisms have for themselves it keeps at most `memory` bytes, and at least one mechanism.
  MechanismBank(MechanismFamily family, std::uint64_t memory);

  /// The mechanism at this ε. An ε outside the allowed range, or one the family refuses, is an error.
  Result<std::shared_ptr<const Mechanism>> at(double epsilon);

  /// How many mechanisms a thread should use at a time, so that those in use do not take more memory than
  /// those that are kept.
  std::size_t most_at_once() const;

 private:
  struct Entry {
    double epsilon;
    std::shared_ptr<const Mechanism> mechanism;
  };

  MechanismFamily family_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the one used last comes first
  std::unordered_map<double, std::list<Entry>::iterator> places_;
};

}  // namespace sotto
