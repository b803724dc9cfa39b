#include "privacy/ledger_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.hpp"

namespace sotto::privacy {
namespace {

tl::unexpected<Error> cannot_open(const std::filesystem::path& file, std::string_view why,
                                  Errc code = Errc::io) {
  return fail(code, fmt::format("cannot open {}: {}", file.string(), why));
}

Result<std::filesystem::path> name_of_new(const std::filesystem::path& typed) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::canonical(typed.has_parent_path() ? typed.parent_path() : ".", error);
  if (error) return cannot_open(typed, error.message(), Errc::not_found);
  return folder / typed.filename();
}

}  // namespace

Result<std::filesystem::path> find_ledger(const std::filesystem::path& typed, bool may_be_new) {
  std::error_code error;
  std::filesystem::path file = std::filesystem::canonical(typed, error);
  if (error == std::errc::no_such_file_or_directory) {
    if (std::filesystem::is_symlink(typed, error))
      return cannot_open(typed, "it is a link to a file that is not there", Errc::not_found);
    if (may_be_new) return name_of_new(typed);
    return cannot_open(typed, "there is no such file", Errc::not_found);
  }
  if (error) return cannot_open(typed, error.message());
  struct stat about;
  if (::stat(file.c_str(), &about) != 0) return cannot_open(typed, std::strerror(errno));
  if (S_ISDIR(about.st_mode)) return cannot_open(typed, "it is a folder");
  if (!S_ISREG(about.st_mode)) return cannot_open(typed, "it is not a regular file");
  if (about.st_nlink > 1)
    return cannot_open(
        typed, fmt::format("the file has {} names (hard links), and a ledger must have one", about.st_nlink));
  return file;
}

Result<void> make_ledger_file(const std::filesystem::path& file) {
  // An existing file is never opened: closing it would release this process's SQLite locks on it.
  const base::FileDescriptor made(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (made.get() < 0 && errno != EEXIST) return cannot_open(file, std::strerror(errno));
  return {};
}

}  // namespace sotto::privacy
