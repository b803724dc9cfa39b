#include "base/file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sotto {
namespace {

tl::unexpected<Error> system_error(std::string_view action, std::string_view name, int number) {
  const Errc code = number == ENOENT ? Errc::not_found : Errc::io;
  return fail(code, fmt::format("cannot {} {}: {}", action, name, std::strerror(number)));
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

Result<std::size_t> read_some(int descriptor, char* data, std::size_t size, std::string_view name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, data, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return system_error("read", name, errno);
  }
}

Result<void> write_all(int descriptor, std::string_view data, std::string_view name) {
  while (!data.empty()) {
    const ssize_t put = ::write(descriptor, data.data(), data.size());
    if (put >= 0) {
      data.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      return system_error("write", name, errno);
    }
  }
  return {};
}

Result<std::string> read_file(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const FileDescriptor descriptor, open_for_reading(file));
  std::string content;
  constexpr std::size_t kBlock = 1 << 16;
  for (;;) {
    const std::size_t old_size = content.size();
    content.resize(old_size + kBlock);
    SOTTO_ASSIGN(const std::size_t got,
                 read_some(descriptor.get(), content.data() + old_size, kBlock, file.string()));
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
  return fail(Errc::invalid_argument,
              fmt::format("-o: '{}' is also an input; give another file", output.string()));
}

Result<AtomicFile> AtomicFile::open_device(const std::filesystem::path& device) {
  AtomicFile file;
  file.target_ = device;
  file.is_device_ = true;
  SOTTO_ASSIGN(file.descriptor_, open_for_writing(device));
  return file;
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& requested) {
  std::filesystem::path target = requested;
  std::error_code ignored;
  if (std::filesystem::is_other(target, ignored)) return open_device(target);
  // The file behind a link is replaced, never the link: it might be /dev/stdout.
  if (std::filesystem::is_symlink(target, ignored)) {
    target = std::filesystem::weakly_canonical(target, ignored);
    if (ignored) return system_error("write", requested.string(), ignored.value());
  }
  if (std::filesystem::is_directory(target, ignored)) return system_error("write", target.string(), EISDIR);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  AtomicFile file;
  file.target_ = target;
  // A file without a name: should the process be killed, nothing of it remains.
  file.descriptor_ = FileDescriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (file.descriptor_.get() >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR) return system_error("write", target.string(), errno);
  // The file system cannot do that, so take a hidden name beside the target.
  file.temporary_ = folder / fmt::format(".{}.{}", target.filename().string(), ::getpid());
  file.descriptor_ =
      FileDescriptor(::open(file.temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
  if (file.descriptor_.get() >= 0) return file;
  file.temporary_.clear();
  return system_error("write", target.string(), errno);
}

Result<void> AtomicFile::write(std::string_view data) {
  return write_all(descriptor_.get(), data, target_.string());
}

Result<void> AtomicFile::commit() {
  if (temporary_.empty() && !is_device_) SOTTO_TRY(give_name());
  // close() reports delayed write errors (quota, network file systems), so its result counts.
  if (::close(descriptor_.release()) != 0) return system_error("write", target_.string(), errno);
  if (temporary_ != target_ && !is_device_ && ::rename(temporary_.c_str(), target_.c_str()) != 0)
    return system_error("write", target_.string(), errno);
  temporary_.clear();
  return {};
}

/// A link cannot replace an existing target; then the file gets a hidden name first and is renamed later.
Result<void> AtomicFile::give_name() {
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_.get());
  const std::filesystem::path hidden =
      target_.parent_path() / fmt::format(".{}.{}", target_.filename().string(), ::getpid());
  ::unlink(hidden.c_str());
  for (const std::filesystem::path& name : {target_, hidden}) {
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return {};
    }
    if (errno != EEXIST) break;
  }
  return system_error("write", target_.string(), errno);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

}  // namespace sotto
