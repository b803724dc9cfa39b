// Privatizers under public noise, kept open while somebody drags.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <sotto/explain.hpp>
#include <sotto/privatizer.hpp>
#include <sotto/result.hpp>

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

  explicit PreviewPrivatizers(std::size_t most) : most_(most) {}

  /// The one for these options. nullptr: others were opening theirs until the deadline.
  Result<Open> open(const PrivatizeOptions& options, Deadline deadline);
  /// What distances mean in the metric of the mechanism, whatever ε. An empty pointer as above.
  Result<std::shared_ptr<const Typical>> typical(const MechanismSpec& spec, Deadline deadline);

 private:
  struct Entry {
    std::string name;
    Open privatizer;
  };

  Open find(const std::string& name);

  std::size_t most_;
  std::timed_mutex opening_;
  std::mutex mutex_;          // of what follows
  std::list<Entry> entries_;  // the one used last first
  std::map<std::string, std::list<Entry>::iterator, std::less<>> by_name_;
  std::map<std::string, std::shared_ptr<const Typical>, std::less<>> typical_;
};

}  // namespace sotto::server
