#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto::base {
namespace {

tl::unexpected<Error> system_error(std::string_view action, std::string_view name, int number) {
  const Errc code = number == ENOENT ? Errc::not_found : Errc::io;
  return fail(code, fmt::format("cannot {} {}: {}", action, name, std::strerror(number)));
}

/// Returns 0, or the errno of what failed.
int write_bytes(int descriptor, std::string_view data) {
  while (!data.empty()) {
    const ssize_t put = ::write(descriptor, data.data(), data.size());
    if (put >= 0) {
      data.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// The mode of the file if it is a regular file.
std::optional<mode_t> mode_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status.st_mode & 0777;
}

// Hidden names for incomplete files. Concurrent runs take one each; only an attacker would take all of them.
constexpr int kHiddenNames = 100;
constexpr std::size_t kLongestStem = 200;

std::filesystem::path hidden_name(const std::filesystem::path& target, int number) {
  return folder_of(target) /
         fmt::format(".{}.sotto-{}", target.filename().string().substr(0, kLongestStem), number);
}

/// Removes a leftover of a killed run: a file of this user that no process has locked. False otherwise.
bool remove_stale(const std::filesystem::path& hidden) {
  const auto left = open_own_file(hidden, O_RDONLY | O_NONBLOCK);
  return left && try_lock(left->get()) && is_name_of(hidden, left->get()) && ::unlink(hidden.c_str()) == 0;
}

/// Calls take(name) with hidden names until it returns 0 or an errno other than EEXIST, removing stale files.
/// Sets `taken` only on success, because the file it names is removed in the end.
template <class Take>
int take_hidden_name(const std::filesystem::path& target, std::filesystem::path& taken, const Take& take) {
  int number = EEXIST;
  for (int i = 0; i < kHiddenNames && number == EEXIST; ++i) {
    std::filesystem::path name = hidden_name(target, i);
    number = take(name);
    if (number == EEXIST && remove_stale(name)) number = take(name);
    if (number == 0) taken = std::move(name);
  }
  return number;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = other.release();
  }
  return *this;
}

void FileDescriptor::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Result<FileDescriptor> open_for_reading(const std::filesystem::path& file) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return system_error("open", file.string(), errno);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return system_error("read", file.string(), errno);
  if (S_ISDIR(status.st_mode)) return system_error("read", file.string(), EISDIR);
  return descriptor;
}

Result<FileDescriptor> open_for_writing(const std::filesystem::path& file) {
  FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (descriptor.get() < 0) return system_error("write", file.string(), errno);
  return descriptor;
}

Result<FileDescriptor> open_own_file(const std::filesystem::path& file, int flags) {
  FileDescriptor descriptor(::open(file.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (descriptor.get() < 0) return system_error("open", file.string(), errno);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return system_error("open", file.string(), errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || status.st_nlink != 1)
    return fail(Errc::io,
                fmt::format("cannot open {}: it is not a file of this user alone; remove it", file.string()));
  return descriptor;
}

bool try_lock(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

bool is_name_of(const std::filesystem::path& name, int descriptor) {
  struct stat named {};
  struct stat open {};
  return ::lstat(name.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

Result<void> sync_file(int descriptor, std::string_view name) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return {};  // the file system has no permanent storage
    if (errno != EINTR) return system_error("write", name, errno);
  }
  return {};
}

Result<void> sync_folder_of(const std::filesystem::path& file) {
  const FileDescriptor folder(::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 && errno == EACCES) return {};  // a writable folder need not be readable
  if (folder.get() < 0) return system_error("write", file.string(), errno);
  return sync_file(folder.get(), file.string());
}

Result<void> take_after(int descriptor, const std::filesystem::path& replaced) {
  struct stat old {};
  if (::stat(replaced.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return {};
  mode_t mode = old.st_mode & 0777;
  // One group's permissions must not go to another group.
  if (::fchown(descriptor, old.st_uid, old.st_gid) != 0 &&
      ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~static_cast<mode_t>(S_IRWXG);
  if (::fchmod(descriptor, mode) != 0) return system_error("write", replaced.string(), errno);
  return {};
}

Result<std::size_t> read_some(int descriptor, char* data, std::size_t size, std::string_view name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, data, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return system_error("read", name, errno);
  }
}

Result<void> write_all(int descriptor, std::string_view data, std::string_view name) {
  const int number = write_bytes(descriptor, data);
  if (number != 0) return system_error("write", name, number);
  return {};
}

Result<void> write_standard_output(int descriptor, std::string_view data) {
  const int number = write_bytes(descriptor, data);
  if (number == 0) return {};
  tl::unexpected<Error> failure = system_error("write", "standard output", number);
  if (number == EPIPE) failure.value().code = Errc::closed_pipe;
  return failure;
}

Result<std::string> read_file(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const FileDescriptor descriptor, open_for_reading(file));
  return read_file(descriptor, file.string());
}

Result<std::string> read_file(const FileDescriptor& file, std::string_view name) {
  std::string content;
  constexpr std::size_t kBlock = 1 << 16;
  for (;;) {
    const std::size_t old_size = content.size();
    content.resize(old_size + kBlock);
    SOTTO_ASSIGN(const std::size_t got, read_some(file.get(), content.data() + old_size, kBlock, name));
    content.resize(old_size + got);
    if (got == 0) return content;
  }
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const FileDescriptor descriptor, open_for_reading(file));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return system_error("read", file.string(), errno);
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return mapped;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (address == MAP_FAILED) return system_error("map", file.string(), errno);
  mapped.bytes_ = {static_cast<const std::byte*>(address), size};
  return mapped;
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  error.clear();
  const auto whole = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return whole(a) == whole(b) && !error;
}

Result<void> check_output(const std::filesystem::path& output, const std::filesystem::path& input) {
  std::error_code ignored;
  if (!same_file(output, input) || std::filesystem::is_other(output, ignored)) return {};
  return fail_parameter("output", output.string(),
                        fmt::format("'{}' is also an input; give another file", output.string()));
}

Result<void> check_uncompressed(std::string_view parameter, const std::filesystem::path& file,
                                std::string_view what) {
  if (compression_by_name(file) == Compression::none) return {};
  return fail_parameter(
      parameter, file.string(),
      fmt::format("'{}': {} is used as it is on disk and cannot be compressed; give a name without {}",
                  file.string(), what, file.extension().string()));
}

Result<AtomicFile> AtomicFile::open_device(const std::filesystem::path& device) {
  AtomicFile file;
  file.target_ = device;
  file.is_device_ = true;
  SOTTO_ASSIGN(file.descriptor_, open_for_writing(device));
  return file;
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& requested) {
  SOTTO_ASSIGN(AtomicFile file, create_plain(requested));
  if (const Compression compression = compression_by_name(requested); compression != Compression::none) {
    SOTTO_ASSIGN(file.compressor_, Compressor::make(compression));
  }
  return file;
}

Result<AtomicFile> AtomicFile::create_plain(const std::filesystem::path& requested) {
  std::filesystem::path target = requested;
  std::error_code ignored;
  if (std::filesystem::is_other(target, ignored)) return open_device(target);
  if (std::filesystem::is_symlink(target, ignored)) {
    target = std::filesystem::weakly_canonical(target, ignored);
    if (ignored) return system_error("write", requested.string(), ignored.value());
  }
  return create_own(target);
}

Result<AtomicFile> AtomicFile::create_own(const std::filesystem::path& target) {
  std::error_code ignored;
  if (std::filesystem::is_directory(std::filesystem::symlink_status(target, ignored)))
    return system_error("write", target.string(), EISDIR);
  AtomicFile file;
  file.target_ = target;
  const mode_t mode = mode_of(target) ? 0600 : 0666;  // never wider than the file it replaces
  // An unnamed file: if the process is killed, nothing remains.
  file.descriptor_ =
      FileDescriptor(::open(folder_of(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (file.descriptor_.get() < 0) {
    if (errno != EOPNOTSUPP && errno != EISDIR) return system_error("write", target.string(), errno);
    SOTTO_TRY(file.open_hidden(mode));
  }
  SOTTO_TRY(take_after(file.descriptor_.get(), target));
  return file;
}

/// The file system has no unnamed files, so use a hidden name in the target's folder.
Result<void> AtomicFile::open_hidden(mode_t mode) {
  const int number = take_hidden_name(target_, temporary_, [&](const std::filesystem::path& name) {
    descriptor_ =
        FileDescriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode));
    if (descriptor_.get() < 0) return errno;
    // Until it is locked, another run may mistake it for a stale file and remove it.
    return try_lock(descriptor_.get()) && !is_name_of(name, descriptor_.get()) ? EEXIST : 0;
  });
  return number == 0 ? Result<void>() : system_error("write", target_.string(), number);
}

Result<void> AtomicFile::write(std::string_view data) {
  if (!compressor_) return write_all(descriptor_.get(), data, target_.string());
  SOTTO_TRY(compressor_->write(data, compressed_));
  SOTTO_TRY(write_all(descriptor_.get(), compressed_, target_.string()));
  compressed_.clear();
  return {};
}

Result<void> AtomicFile::commit() {
  if (compressor_) {
    SOTTO_TRY(compressor_->finish(compressed_));
    SOTTO_TRY(write_all(descriptor_.get(), compressed_, target_.string()));
  }
  if (!is_device_) SOTTO_TRY(sync_file(descriptor_.get(), target_.string()));
  if (temporary_.empty() && !is_device_) SOTTO_TRY(give_name());
  // close() reports delayed write errors (quota, network file systems), so its result matters.
  if (::close(descriptor_.release()) != 0) return system_error("write", target_.string(), errno);
  if (is_device_) return {};
  if (temporary_ != target_ && ::rename(temporary_.c_str(), target_.c_str()) != 0)
    return system_error("write", target_.string(), errno);
  temporary_.clear();
  return sync_folder_of(target_);
}

/// linkat() cannot replace an existing target; then the file gets a hidden name first and is renamed later.
Result<void> AtomicFile::give_name() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_.get());
  const auto link = [&](const std::filesystem::path& name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  std::filesystem::path name = target_;
  int number = link(name);
  if (number == 0) temporary_ = std::move(name);
  if (number == EEXIST) {
    (void)try_lock(descriptor_.get());  // so that no run mistakes it for a stale file
    number = take_hidden_name(target_, temporary_, link);
  }
  return number == 0 ? Result<void>() : system_error("write", target_.string(), number);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

}  // namespace sotto::base
