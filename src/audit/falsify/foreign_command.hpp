// A foreign program that rewrites words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::audit {

/// Runs `command` with /bin/sh, writes `word` to its standard input `count` times, one per line, and returns
/// the lines it writes. Returns a one-line error if it cannot be run, ends with a nonzero status, takes more
/// than `timeout` seconds (it is then killed, with everything it started), or writes a different number of
/// lines or something that is not a line of text. Thread-safe.
Result<std::vector<std::string>> run_command(const std::string& command, std::string_view word,
                                             std::size_t count, double timeout);

}  // namespace sotto::audit
