// What the program says when something ends it that no function can return: each ends in one line on standard
// error and exit code 1, as any other failure does.
#pragma once

namespace sotto::cli {

/// The exit code of a run that failed.
inline constexpr int kFailed = 1;

/// For a failed allocation; needs no memory itself.
void say_out_of_memory();

/// Takes care of a file that is cut short while it is mapped, and of libraries that abort where they cannot
/// go on: libsodium without random bytes, GMP without memory. An exception that nothing catches is taken care
/// of before main() begins. The library leaves signals and handlers alone: they belong to the whole process.
void prepare_last_words();

}  // namespace sotto::cli
