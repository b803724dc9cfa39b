// The folder of an experiment's results: finished cells by key, and a lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto {

/// SHA-256, in hex, of everything that decides a result, as canonical JSON (keys sorted, no blanks).
std::string cell_key(const nlohmann::json& identity);

/// One file for each finished cell, complete or not there. Thread-safe.
class CellStore {
 public:
  explicit CellStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// What was kept under the key, or nothing. A file that is not what it should be counts as nothing, so that
  /// the cell is computed again.
  std::optional<nlohmann::ordered_json> load(const std::string& key) const;
  Result<void> save(const std::string& key, const nlohmann::ordered_json& content) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / (key + ".json"); }
  std::filesystem::path folder_;
};

/// Keeps a second run out of a folder for as long as the object lives. The system frees the lock when a
/// process ends, however it ends.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  FileDescriptor descriptor_;
};

/// Makes the folder and those above it.
Result<void> make_folder(const std::filesystem::path& folder);

/// Writes a file, complete or not at all.
Result<void> write_whole_file(const std::filesystem::path& file, std::string_view content);

}  // namespace sotto
