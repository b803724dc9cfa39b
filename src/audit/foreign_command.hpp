// A foreign program that rewrites words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto {

/// Runs `command` by /bin/sh, writes `word` to its standard input `count` times, one a line, and returns the
/// lines it writes. An error of one line when it cannot be run, ends with another status than 0, takes more
/// than `timeout` seconds (then it is killed, with everything it started), or writes another number of lines
/// or something that is not a line of text. Thread-safe.
Result<std::vector<std::string>> run_command(const std::string& command, std::string_view word,
                                             std::size_t count, double timeout);

}  // namespace sotto
