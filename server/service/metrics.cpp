#include "service/metrics.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

namespace sotto::server {
namespace {

/// As the format wants the value of a label.
std::string label(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

std::uint64_t resident_bytes() {
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;  // 0 if it cannot be read
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void Metrics::Route::count(unsigned status, std::chrono::nanoseconds time) {
  ++statuses_[std::min<std::size_t>(status, statuses_.size() - 1)];
  const double seconds = std::chrono::duration<double>(time).count();
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++times_[static_cast<std::size_t>(bound - kBounds.begin())];
  nanoseconds_ += static_cast<std::uint64_t>(time.count());
}

void Metrics::Route::write(std::string& text) const {
  for (std::size_t status = 0; status < statuses_.size(); ++status)
    if (const std::uint64_t count = statuses_[status]; count > 0)
      fmt::format_to(std::back_inserter(text), "sotto_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                     label(name_), status, count);
}

void Metrics::Route::write_times(std::string& text) const {
  const std::string route = label(name_);
  std::uint64_t sum = 0;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    sum += times_[i];
    fmt::format_to(out, "sotto_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route, kBounds[i],
                   sum);
  }
  sum += times_.back();
  fmt::format_to(out, "sotto_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route, sum);
  fmt::format_to(out, "sotto_request_seconds_sum{{route=\"{}\"}} {}\n", route,
                 static_cast<double>(nanoseconds_) * 1e-9);
  fmt::format_to(out, "sotto_request_seconds_count{{route=\"{}\"}} {}\n", route, sum);
}

Metrics::Route& Metrics::add_route(std::string_view name) {
  return routes_.emplace_back(name);
}

void Metrics::count(std::string_view profile, std::string_view unit, double epsilon, const Counts& counts) {
  const std::lock_guard lock(mutex_);
  Spent& spent = spent_[{std::string(profile), std::string(unit)}];
  spent.texts += counts.documents;
  spent.withheld += counts.withheld;
  spent.bytes += counts.statistics.bytes_in;
  spent.epsilon += epsilon;
}

std::string Metrics::text(std::uint64_t queued_bytes) const {
  std::string text;
  head(text, "sotto_requests_total", "counter", "Requests by route and status.");
  for (const Route& route : routes_) route.write(text);
  head(text, "sotto_request_seconds", "histogram", "Time from a request to its answer.");
  for (const Route& route : routes_) route.write_times(text);
  const auto out = std::back_inserter(text);
  const std::lock_guard lock(mutex_);
  const auto family = [&](std::string_view name, std::string_view help, auto value) {
    head(text, name, "counter", help);
    for (const auto& [of, spent] : spent_)
      fmt::format_to(out, "{}{{profile=\"{}\",unit=\"{}\"}} {}\n", name, label(of.first), label(of.second),
                     value(spent));
  };
  family("sotto_texts_total", "Texts released.", [](const Spent& spent) { return spent.texts; });
  family("sotto_text_bytes_total", "Bytes of these texts.", [](const Spent& spent) { return spent.bytes; });
  family("sotto_withheld_total", "Texts withheld because of a limit.",
         [](const Spent& spent) { return spent.withheld; });
  family("sotto_epsilon_released_total", "Epsilon of the texts released, repeats counted again.",
         [](const Spent& spent) { return spent.epsilon; });
  head(text, "sotto_queued_bytes", "gauge", "Bytes of texts that wait or are being rewritten.");
  fmt::format_to(out, "sotto_queued_bytes {}\n", queued_bytes);
  head(text, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.");
  fmt::format_to(out, "process_resident_memory_bytes {}\n", resident_bytes());
  return text;
}

}  // namespace sotto::server
