// One line per request, as JSON. What a line may say is listed here, and nothing else can get into it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sotto::server {

/// Never the query, a body, a header other than a well-formed id, or a path that is no route.
struct AccessEntry {
  std::string method = "-";  ///< "-" unless it is a usual one
  std::string path = "-";    ///< "-" unless it is a route
  unsigned status = 0;
  std::chrono::microseconds duration{0};
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::string id;
  std::string key_name;
  std::string trace_id;  ///< empty: none
};

/// Writes lines on a thread of its own: whoever reads them slowly does not slow the service, but loses lines,
/// whose number is then logged. Thread-safe.
class AccessLog {
 public:
  using Write = std::function<void(std::string_view lines)>;
  /// Without `each_request`, only notes are written.
  AccessLog(Write write, bool each_request);
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;
  /// Writes what is left.
  ~AccessLog();

  void add(const AccessEntry& entry);
  /// About the server itself.
  void note(std::string_view message);

 private:
  void append(std::string line);
  void write_lines();

  const Write write_;
  const bool each_request_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string pending_;
  std::uint64_t lost_ = 0;
  bool ending_ = false;
  std::thread writer_;
};

}  // namespace sotto::server
