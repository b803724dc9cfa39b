// What the service counts: no texts, no subjects, no ids.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <sotto/receipt.hpp>

namespace sotto::server {

/// Safe to use from several threads.
class Metrics {
 public:
  /// A route, whose answers are counted by status and time.
  class Route {
   public:
    explicit Route(std::string_view name) : name_(name) {}
    void count(unsigned status, std::chrono::nanoseconds time);
    void write(std::string& text) const;
    void write_times(std::string& text) const;

   private:
    // In seconds; the last is infinite.
    static constexpr std::array<double, 12> kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                       0.01,   0.05,    0.1,    0.5,   1,      5};
    const std::string name_;
    std::array<std::atomic<std::uint64_t>, 600> statuses_{};
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> times_{};
    std::atomic<std::uint64_t> nanoseconds_ = 0;
  };

  /// Stays where it is as long as the metrics live.
  Route& add_route(std::string_view name);
  /// What a request released: `epsilon` in `unit`, repeats counted again.
  void count(std::string_view profile, std::string_view unit, double epsilon, const Counts& counts);

  /// In Prometheus' text format.
  std::string text(std::uint64_t queued_bytes) const;

 private:
  struct Spent {
    std::uint64_t texts = 0;
    std::uint64_t withheld = 0;
    std::uint64_t bytes = 0;
    double epsilon = 0;
  };

  std::deque<Route> routes_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Spent> spent_;  // by profile and unit
};

}  // namespace sotto::server
