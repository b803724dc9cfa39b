// The folder of a run. It has copies of private texts, so it is closed to others.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::evaluate {

class RunFolder {
 public:
  explicit RunFolder(const std::filesystem::path& folder)
      : root(folder),
        cells(root / "cells"),
        texts(root / "texts"),
        models(root / "models"),
        work(root / "work") {}
  std::filesystem::path root, cells, texts, models, work;

  /// Makes those that do not exist.
  Result<void> make();

  /// Removes what was not there before make(), but nothing that others put beside it.
  void remove_what_is_new() const;

 private:
  std::vector<std::filesystem::path> new_around_;  // the root and folders around it, outermost first
  std::vector<std::filesystem::path> new_inside_;
};

/// Creates the folder, readable by its owner only, and its parents, which have the usual mode.
Result<void> make_folder(const std::filesystem::path& folder);

/// Writes a file that only its owner may read, completely or not at all.
Result<void> write_whole_file(const std::filesystem::path& file, std::string_view content);

}  // namespace sotto::evaluate
