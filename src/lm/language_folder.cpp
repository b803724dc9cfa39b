#include "lm/language_folder.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "lm/calibration.hpp"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 5> kExtensions = {".json", ".txt", ".safetensors", ".model", ".bpe"};

Result<std::vector<std::filesystem::path>> model_files(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return fail(Errc::not_found, fmt::format("{}: no such folder", folder.string()));
  if (!std::filesystem::exists(folder / "config.json", error))
    return fail(Errc::not_found,
                fmt::format("{}: there is no config.json, so this is no language model", folder.string()));
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    const bool counts = std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
    if (counts && entry->path().filename() != kCalibrationFile) files.push_back(entry->path());
  }
  if (error) return fail(Errc::io, fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::string> folder_digest(const std::filesystem::path& folder) {
  SOTTO_ASSIGN(const auto files, model_files(folder));
  Sha256 hash;
  for (const std::filesystem::path& path : files) {
    SOTTO_ASSIGN(const MappedFile file, MappedFile::open(path));
    const std::string_view content(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    hash.update(fmt::format("{}\n{}\n", path.filename().string(), content.size()));
    hash.update(content);
  }
  return to_hex(hash.finish());
}

}  // namespace sotto
