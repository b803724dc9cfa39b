// Privatizers under public noise, kept open while somebody drags.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include <sotto/explain.hpp>
#include <sotto/privatizer.hpp>
#include <sotto/result.hpp>

#include "playground/recent.hpp"

namespace sotto::server {

/// A Privatizer whose noise is public.
struct PreviewPrivatizer {
  std::unique_ptr<Privatizer> privatizer;
  Receipt receipt;  ///< of no documents
};

/// Opens Privatizers, one at a time, and keeps those that were used last. Safe to use from several threads.
class PreviewPrivatizers {
 public:
  using Open = std::shared_ptr<const PreviewPrivatizer>;
  using Typical = std::optional<TypicalMetricDistances>;
  using Deadline = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMostTypical = 256;

  explicit PreviewPrivatizers(std::size_t most) : privatizers_(most), typical_(kMostTypical) {}

  /// The one for these options. nullptr: others were opening theirs until the deadline.
  Result<Open> open(const PrivatizeOptions& options, Deadline deadline);
  /// What distances mean in the metric of the mechanism, whatever ε. An empty pointer as above.
  Result<std::shared_ptr<const Typical>> typical(const MechanismSpec& spec, Deadline deadline);

 private:
  std::timed_mutex opening_;
  Recent<PreviewPrivatizer> privatizers_;
  Recent<Typical> typical_;
};

}  // namespace sotto::server
