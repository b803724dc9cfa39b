#include "pipeline/records/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"

namespace sotto::pipeline {
namespace {

class StandardOutput final : public OutputTarget {
 public:
  Result<void> write(std::string_view data) override {
    return base::write_standard_output(descriptor_.get(), data);
  }

 private:
  base::FileDescriptor descriptor_{::dup(STDOUT_FILENO)};
};

class AtomicOutput final : public OutputTarget {
 public:
  explicit AtomicOutput(base::AtomicFile file) : file_(std::move(file)) {}
  Result<void> write(std::string_view data) override { return file_.write(data); }
  Result<void> commit(const std::function<bool()>&) override { return file_.commit(); }

 private:
  base::AtomicFile file_;
};

}  // namespace

Result<std::unique_ptr<OutputTarget>> open_output(const std::optional<std::filesystem::path>& file) {
  if (!file) return std::make_unique<StandardOutput>();
  SOTTO_ASSIGN(base::AtomicFile atomic, base::AtomicFile::create(*file));
  return std::make_unique<AtomicOutput>(std::move(atomic));
}

Result<std::unique_ptr<OutputTarget>> open_private_output(const std::filesystem::path& file) {
  SOTTO_ASSIGN(base::AtomicFile atomic, base::AtomicFile::create(file));
  struct stat status {};
  if (::fstat(atomic.descriptor(), &status) == 0 && S_ISREG(status.st_mode) &&
      ::fchmod(atomic.descriptor(), S_IRUSR | S_IWUSR) != 0)
    return fail(Errc::io, fmt::format("{}: cannot be made readable by its owner only", file.string()));
  return std::make_unique<AtomicOutput>(std::move(atomic));
}

}  // namespace sotto::pipeline
