#include "evaluate/bench/resident_memory.hpp"

#include <charconv>
#include <string>

#include "base/file.hpp"

namespace sotto::evaluate {
namespace {

/// A line such as "VmRSS:     1234 kB" of /proc/self/status, in bytes.
std::uint64_t status_bytes(std::string_view key) {
  const auto status = base::read_file("/proc/self/status");
  if (!status) return 0;
  const std::size_t line = status->find(key);
  if (line == std::string::npos) return 0;
  const std::size_t begin = status->find_first_of("0123456789", line);
  std::uint64_t kilobytes = 0;
  if (begin != std::string::npos)
    std::from_chars(status->data() + begin, status->data() + status->size(), kilobytes);
  return kilobytes * 1024;
}

}  // namespace

std::uint64_t resident_bytes() {
  return status_bytes("VmRSS:");
}

std::uint64_t peak_resident_bytes() {
  return status_bytes("VmHWM:");
}

bool forget_peak() {
  const auto file = base::open_for_writing("/proc/self/clear_refs");
  return file && base::write_all(file->get(), "5", "/proc/self/clear_refs").has_value();
}

}  // namespace sotto::evaluate
