// Where a ledger is. SQLite's log and the writers' lock are next to the file, under its name, so everyone who
// uses a ledger must arrive at the same name.
#pragma once

#include <filesystem>

#include <sotto/result.hpp>

namespace sotto::privacy {

/// The unique name of a ledger, with links resolved; with `may_be_new` it need not exist yet. Refuses
/// anything but a regular file, and a file with a second name (a hard link), which could be opened next to a
/// different log.
Result<std::filesystem::path> find_ledger(const std::filesystem::path& typed, bool may_be_new);

/// Creates an empty file that only its owner may read, unless it exists. `file` comes from find_ledger().
/// SQLite gives the files it creates next to it the same mode.
Result<void> make_ledger_file(const std::filesystem::path& file);

}  // namespace sotto::privacy
