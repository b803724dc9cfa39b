#include "collocation/temporary_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sotto::collocation {
namespace {

tl::unexpected<Error> temporary_error(std::string_view name, int number) {
  return fail(number == ENOENT ? Errc::not_found : Errc::io,
              fmt::format("cannot use a temporary file in {}: {}", name, std::strerror(number)));
}

}  // namespace

Result<TemporaryFile> TemporaryFile::create(const std::filesystem::path& folder) {
  TemporaryFile file;
  file.name_ = folder.string();
  file.descriptor_ = base::FileDescriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.descriptor_.get() >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR) return temporary_error(file.name_, errno);
  // The file system has no unnamed files, so unlink the name at once.
  std::string pattern = (folder / ".sotto-XXXXXX").string();
  file.descriptor_ = base::FileDescriptor(::mkostemp(pattern.data(), O_CLOEXEC));
  if (file.descriptor_.get() < 0) return temporary_error(file.name_, errno);
  ::unlink(pattern.c_str());
  return file;
}

Result<void> TemporaryFile::allocate(std::uint64_t size) {
  if (const int error = ::posix_fallocate(descriptor_.get(), 0, static_cast<off_t>(size)); error != 0)
    return temporary_error(name_, error);
  size_ = size;
  return {};
}

Result<void> TemporaryFile::append(std::string_view data) {
  SOTTO_TRY(base::write_all(descriptor_.get(), data, fmt::format("a temporary file in {}", name_)));
  size_ += data.size();
  return {};
}

Result<std::size_t> TemporaryFile::read(char* data, std::size_t size, std::uint64_t offset) const {
  for (;;) {
    const ssize_t got = ::pread(descriptor_.get(), data, size, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return temporary_error(name_, errno);
  }
}

template <class T>
Result<std::span<char>> TemporaryArray<T>::map(const std::filesystem::path& folder, std::uint64_t size) {
  if (size == 0) return std::span<char>();
  SOTTO_ASSIGN(TemporaryFile file, TemporaryFile::create(folder));
  SOTTO_TRY(file.allocate(size));
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (address == MAP_FAILED) return temporary_error(folder.string(), errno);
  return std::span(static_cast<char*>(address), size);
}

template <class T>
void TemporaryArray<T>::unmap(std::span<char> bytes) {
  if (!bytes.empty()) ::munmap(bytes.data(), bytes.size());
}

template class TemporaryArray<char>;
template class TemporaryArray<std::uint32_t>;
template class TemporaryArray<std::uint64_t>;

}  // namespace sotto::collocation
