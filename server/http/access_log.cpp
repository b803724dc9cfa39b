#include "http/access_log.hpp"

#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sotto::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPending = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kBetweenWrites{
    10};  // waking a thread for each line would cost more than the line

std::string now() {
  const auto time = std::chrono::system_clock::now();
  const auto since = time.time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(since).count() % 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, milliseconds);
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

AccessLog::AccessLog(Write write, bool each_request)
    : write_(std::move(write)), each_request_(each_request), writer_([this] { write_lines(); }) {}

AccessLog::~AccessLog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  writer_.join();
}

void AccessLog::add(const AccessEntry& entry) {
  if (!each_request_) return;
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string line = fmt::format(
      R"({{"time":"{}","method":{},"path":{},"status":{},"ms":{:.3f},"in":{},"out":{},"id":{},"key":{})",
      now(), quoted(entry.method), quoted(entry.path), entry.status,
      static_cast<double>(entry.duration.count()) / 1000, entry.bytes_in, entry.bytes_out, quoted(entry.id),
      quoted(entry.key_name));
  if (!entry.trace_id.empty()) line += ",\"trace\":" + quoted(entry.trace_id);
  append(line + "}\n");
}

void AccessLog::note(std::string_view message) {
  append(line_of({{"time", now()}, {"note", message}}));
}

void AccessLog::append(std::string line) {
  const std::lock_guard lock(mutex_);
  if (pending_.size() + line.size() > kMostPending) {
    ++lost_;
    return;
  }
  if (pending_.empty()) changed_.notify_one();
  pending_ += line;
}

void AccessLog::write_lines() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !pending_.empty(); });
    if (pending_.empty()) return;
    std::string lines;
    lines.swap(pending_);
    if (const std::uint64_t lost = std::exchange(lost_, 0); lost > 0)
      lines += line_of({{"time", now()}, {"note", fmt::format("{} lines were lost", lost)}});
    lock.unlock();
    write_(lines);
    lock.lock();
    changed_.wait_for(lock, kBetweenWrites, [&] { return ending_; });
  }
}

}  // namespace sotto::server
