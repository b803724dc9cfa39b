// The folder of an experiment's results: finished cells by key, and a lock.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::evaluate {

/// SHA-256, in hex, of everything that determines a result, as canonical JSON (sorted keys, no whitespace).
std::string cell_key(const nlohmann::json& identity);

/// One file per finished cell, either complete or absent. Thread-safe.
class CellStore {
 public:
  explicit CellStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The content stored under the key, or nullopt. A malformed file counts as absent, so that the cell is
  /// recomputed.
  std::optional<nlohmann::ordered_json> load(const std::string& key) const;
  Result<void> save(const std::string& key, const nlohmann::ordered_json& content) const;

 private:
  std::filesystem::path file(const std::string& key) const { return folder_ / (key + ".json"); }
  std::filesystem::path folder_;
};

/// Keeps a second run out of a folder during its lifetime. The system releases the lock when the process
/// ends, however it ends.
class FolderLock {
 public:
  static constexpr const char* kName = "lock";  ///< of its file
  static Result<FolderLock> take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(base::FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  base::FileDescriptor descriptor_;
};

}  // namespace sotto::evaluate
