#include "config/private_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/yaml_file.hpp"

namespace sotto::server {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kTooOpen = 0027;  // writable by the group, or anything for everybody

tl::unexpected<Error> failed(std::string_view what, const std::filesystem::path& file) {
  return fail(Errc::io, fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)));
}

Result<void> write_whole(int descriptor, std::string_view content, const std::filesystem::path& file) {
  while (!content.empty()) {
    const ssize_t put = ::write(descriptor, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write", file);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(descriptor) != 0) return failed("write", file);
  return {};
}

/// Once this returns, the new name survives a crash.
Result<void> sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path parent = file.parent_path();
  const int folder = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && ::fsync(folder) == 0;
  if (folder >= 0) ::close(folder);
  return synced ? Result<void>() : failed("write the folder of", file);
}

}  // namespace

Result<void> check_private_file(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & kTooOpen) != 0)
    return fail(Errc::invalid_argument,
                fmt::format("{} is open to other users (mode {:04o}); run: chmod 600 {}", file.string(),
                            static_cast<unsigned>(status.st_mode & 07777), file.string()));
  return {};
}

Result<std::string> read_private_file(const std::filesystem::path& file) {
  SOTTO_TRY(check_private_file(file));
  return read_small_file(file);
}

Result<void> create_private_file(const std::filesystem::path& file, std::string_view content) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return failed("create", file);
  auto written = write_whole(descriptor, content, file);
  ::close(descriptor);
  if (!written) ::unlink(file.c_str());
  SOTTO_TRY(std::move(written));
  return sync_folder_of(file);
}

Result<void> replace_private_file(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.new", ::getpid());
  SOTTO_TRY(create_private_file(temporary, content));
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    const bool same_mode = ::chmod(temporary.c_str(), status.st_mode & 0777) == 0;
    if (!same_mode || ::chown(temporary.c_str(), status.st_uid, status.st_gid) != 0) {
      ::unlink(temporary.c_str());
      return failed("keep the owner and mode of", file);
    }
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    return failed("replace", file);
  }
  return sync_folder_of(file);
}

Result<FileLock> FileLock::take(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("open", file);
  FileLock lock(descriptor);
  while (::flock(descriptor, LOCK_EX) != 0)
    if (errno != EINTR) return failed("lock", file);
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sotto::server
