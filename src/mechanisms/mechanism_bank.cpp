#include "mechanisms/mechanism_bank.hpp"

#include <algorithm>

#include "base/checked_value.hpp"

namespace sotto::mechanism {
namespace {

// Even a mechanism without tables takes a few hundred bytes and an entry in the maps.
constexpr std::uint64_t kMechanismOverhead = 4096;
constexpr std::size_t kMostAtOnce = 256;

}  // namespace

MechanismBank::MechanismBank(MechanismFamily family, std::uint64_t memory)
    : family_(std::move(family)),
      capacity_(std::max<std::uint64_t>(1, memory / (family_.bytes_each + kMechanismOverhead))) {}

std::size_t MechanismBank::most_at_once() const {
  return std::clamp<std::size_t>(capacity_ / 4, 1, kMostAtOnce);
}

Result<std::shared_ptr<const Mechanism>> MechanismBank::at(double epsilon) {
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  const std::lock_guard lock(mutex_);
  if (const auto known = places_.find(epsilon); known != places_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->mechanism;
  }
  SOTTO_ASSIGN(std::shared_ptr<const Mechanism> mechanism, family_.at(epsilon));
  if (entries_.size() == capacity_) {
    places_.erase(entries_.back().epsilon);
    entries_.pop_back();
  }
  entries_.push_front({epsilon, std::move(mechanism)});
  places_.emplace(epsilon, entries_.begin());
  return entries_.front().mechanism;
}

}  // namespace sotto::mechanism
