// A mechanism before its ε is chosen. A document with its own budget gives each token a share of it, so a run
// over documents of many lengths needs one mechanism at many ε.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <sotto/mechanism.hpp>

namespace sotto::mechanism {

/// What the mechanisms of all ε share: vectors packed for search, groups, lists, and the memory for tables.
struct MechanismFamily {
  /// The mechanism at this ε (checked with check_epsilon), or the reason there is none. It keeps alive what
  /// it shares with the others. Thread-safe.
  std::function<Result<std::unique_ptr<Mechanism>>(double epsilon)> at;
  /// The memory each may use for itself, in addition to the memory they all share.
  std::uint64_t bytes_each = 0;
};

/// make_mechanism without its last step. Keeps the model alive.
Result<MechanismFamily> prepare_mechanism(std::string_view name, std::shared_ptr<const Model> model,
                                          const ParameterValues& parameters,
                                          const MechanismResources& resources = {});

}  // namespace sotto::mechanism
