#include "evaluate/experiment/run_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>

#include "evaluate/experiment/cell_store.hpp"
#include "pipeline/records/output_target.hpp"

namespace sotto::evaluate {
namespace {

bool is_absent(const std::filesystem::path& path) {
  std::error_code ignored;
  return !std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

}  // namespace

Result<void> RunFolder::make() {
  for (std::filesystem::path folder = std::filesystem::absolute(root).lexically_normal(); is_absent(folder);
       folder = folder.parent_path())
    new_around_.insert(new_around_.begin(), folder);
  for (const auto& path : {cells, texts, models, work, root / FolderLock::kName})
    if (is_absent(path)) new_inside_.push_back(path);
  for (const auto& folder : {root, cells, texts, models, work}) SOTTO_TRY(make_folder(folder));
  return {};
}

void RunFolder::remove_what_is_new() const {
  std::error_code ignored;
  for (const auto& path : new_inside_) std::filesystem::remove_all(path, ignored);
  for (auto folder = new_around_.rbegin(); folder != new_around_.rend(); ++folder)
    std::filesystem::remove(*folder, ignored);  // fails unless it is empty
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {};
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) return {};
  return fail(Errc::io, fmt::format("cannot make the folder {}: {}", folder.string(), std::strerror(errno)));
}

Result<void> write_whole_file(const std::filesystem::path& file, std::string_view content) {
  SOTTO_ASSIGN(const auto out, pipeline::open_private_output(file));
  SOTTO_TRY(out->write(content));
  return out->commit();
}

}  // namespace sotto::evaluate
