#include "lm/language_folder.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/tree_hash.hpp"
#include "lm/calibration.hpp"

namespace sotto::lm {
namespace {

constexpr std::array<std::string_view, 5> kExtensions = {".json", ".txt", ".safetensors", ".model", ".bpe"};

bool counts(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end() &&
         file.filename() != kCalibrationFile;
}

/// The files of a folder and, if `deeper`, of its direct subfolders, as paths relative to `top`.
Result<void> list_files(const std::filesystem::path& top, const std::filesystem::path& below, bool deeper,
                        std::vector<std::filesystem::path>& files) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(top / below, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path path = below / entry->path().filename();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (deeper) SOTTO_TRY(list_files(top, path, false, files));
    } else if (counts(path)) {
      files.push_back(path);
    }
  }
  if (error) return fail(Errc::io, fmt::format("{}: {}", (top / below).string(), error.message()));
  return {};
}

Result<std::vector<std::filesystem::path>> model_files(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return fail(Errc::not_found, fmt::format("{}: no such folder", folder.string()));
  if (!std::filesystem::exists(folder / "config.json", error) &&
      !std::filesystem::exists(folder / "modules.json", error))
    return fail(Errc::not_found,
                fmt::format("{}: there is no config.json, so this is not a language model", folder.string()));
  std::vector<std::filesystem::path> files;
  SOTTO_TRY(list_files(folder, {}, true, files));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::string> folder_digest(const std::filesystem::path& folder) {
  SOTTO_ASSIGN(const auto files, model_files(folder));
  std::string listing;
  for (const std::filesystem::path& path : files) {
    SOTTO_ASSIGN(const std::string digest, base::tree_hash_file(folder / path));
    listing += fmt::format("{} {} {}\n", path.string().size(), path.string(), digest);
  }
  return base::tree_hash(listing);
}

}  // namespace sotto::lm
