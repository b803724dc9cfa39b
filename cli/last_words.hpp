// The program's last message when it is ended by something that no function can return. Each case ends in one
// line on standard error and exit code 1, like any other failure.
#pragma once

namespace sotto::cli {

/// The exit code of a failed run.
inline constexpr int kFailed = 1;

/// For a failed allocation; needs no memory itself.
void say_out_of_memory();

/// Handles a file that is truncated while it is mapped, and libraries that abort when they cannot continue:
/// libsodium without random bytes, GMP without memory. Uncaught exceptions are handled even before main()
/// starts. The library itself leaves signals and handlers alone: they belong to the whole process.
void prepare_last_words();

}  // namespace sotto::cli
