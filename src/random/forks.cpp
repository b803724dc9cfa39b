#include "random/forks.hpp"

#include <array>
#include <atomic>

#include <pthread.h>

#include "base/random_bytes.hpp"

namespace sotto::random {
namespace {

std::atomic<std::uint64_t> forks{0};
// Written only while a process has one thread.
std::array<unsigned char, 32> tag_bytes;
bool has_tag = true;

void after_fork() {
  forks.fetch_add(1, std::memory_order_relaxed);
  has_tag = base::fill_random(tag_bytes).has_value();
}

}  // namespace

void watch_forks() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, after_fork);
}

std::uint64_t fork_count() {
  return forks.load(std::memory_order_relaxed);
}

Result<std::string_view> fork_tag() {
  if (fork_count() == 0) return std::string_view();
  if (!has_tag) return fail(Errc::io, "the operating system provided no random bytes after fork()");
  return std::string_view(reinterpret_cast<const char*>(tag_bytes.data()), tag_bytes.size());
}

}  // namespace sotto::random
