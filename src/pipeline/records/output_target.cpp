#include "pipeline/records/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"

namespace sotto {
namespace {

class DescriptorOutput final : public OutputTarget {
 public:
  DescriptorOutput(FileDescriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}
  Result<void> write(std::string_view data) override { return write_all(descriptor_.get(), data, name_); }

 private:
  FileDescriptor descriptor_;
  std::string name_;
};

class AtomicOutput final : public OutputTarget {
 public:
  explicit AtomicOutput(AtomicFile file) : file_(std::move(file)) {}
  Result<void> write(std::string_view data) override { return file_.write(data); }
  Result<void> commit(const std::function<bool()>&) override { return file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace

Result<std::unique_ptr<OutputTarget>> open_output(const std::optional<std::filesystem::path>& file) {
  if (!file)
    return std::make_unique<DescriptorOutput>(FileDescriptor(::dup(STDOUT_FILENO)), "standard output");
  SOTTO_ASSIGN(AtomicFile atomic, AtomicFile::create(*file));
  return std::make_unique<AtomicOutput>(std::move(atomic));
}

Result<std::unique_ptr<OutputTarget>> open_private_output(const std::filesystem::path& file) {
  SOTTO_ASSIGN(AtomicFile atomic, AtomicFile::create(file));
  struct stat status {};
  if (::fstat(atomic.descriptor(), &status) == 0 && S_ISREG(status.st_mode) &&
      ::fchmod(atomic.descriptor(), S_IRUSR | S_IWUSR) != 0)
    return fail(Errc::io, fmt::format("{}: cannot be made readable by its owner only", file.string()));
  return std::make_unique<AtomicOutput>(std::move(atomic));
}

}  // namespace sotto
