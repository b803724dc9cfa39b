#include "base/random_bytes.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/random.h>

namespace sotto::base {

Result<void> fill_random(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      return fail(Errc::io, fmt::format("the operating system provides no random bytes: {}",
                                        got == 0 ? "an empty answer" : std::strerror(errno)));
  }
  return {};
}

}  // namespace sotto::base
