// Where a ledger is. SQLite's log and the writers' lock stand beside the file, under its name; so everybody
// who uses a ledger must come to the same name.
#pragma once

#include <filesystem>

#include <sotto/result.hpp>

namespace sotto {

/// The one name of a ledger, links resolved; with `may_be_new` there may be none yet. Refused: what is not a
/// regular file, and a file with a second name (a hard link), which could be opened beside another log.
Result<std::filesystem::path> find_ledger(const std::filesystem::path& typed, bool may_be_new);

/// Makes an empty file that only its owner may read, unless there is one. `file` comes from find_ledger().
/// SQLite gives its files beside it the same mode.
Result<void> make_ledger_file(const std::filesystem::path& file);

}  // namespace sotto
