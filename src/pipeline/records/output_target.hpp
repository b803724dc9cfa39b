// The destination of the output: standard output, a file that appears once complete, or a resumable file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

#include "pipeline/records/record_reader.hpp"

namespace sotto::pipeline {

/// What was found in one input.
struct InputTally {
  std::uint64_t records = 0;    ///< nonblank
  std::uint64_t documents = 0;  ///< plus records that were withheld or refused
};

/// The progress of a run: everything before `position` is in the output.
struct Progress {
  Position position;
  std::uint64_t output_bytes = 0;
  Counts counts;
  InputTally input;           ///< of the input at `position`
  bool has_elements = false;  ///< of a JSON array
  std::set<std::string> clear_fields;
};

class OutputTarget {
 public:
  virtual ~OutputTarget() = default;
  virtual Result<void> write(std::string_view data) = 0;
  /// Called after each write with the progress of the run.
  virtual Result<void> progressed(const Progress&) { return {}; }
  /// Makes the output appear under its name. `go_on` is polled if that takes long; false stops it with
  /// Errc::interrupted.
  virtual Result<void> commit(const std::function<bool()>& /*go_on*/ = {}) { return {}; }
};

/// Standard output if `file` is empty. Compressed if the name says so. A device, a named pipe or other
/// special file is written to directly.
Result<std::unique_ptr<OutputTarget>> open_output(const std::optional<std::filesystem::path>& file);

/// The same for a file that only its owner may read, whatever the mode of the file it replaces.
Result<std::unique_ptr<OutputTarget>> open_private_output(const std::filesystem::path& file);

/// A file that keeps the output of an interrupted run, next to a note of how far it came. `fingerprint`
/// identifies the run; a note of a different run is refused. `resumed` receives the progress of the earlier
/// run, or an empty one. If the name says that the file is compressed, that happens at the end, so that an
/// interrupted run leaves the same bytes behind as any other.
Result<std::unique_ptr<OutputTarget>> open_resumable_output(const std::filesystem::path& file,
                                                            const std::string& fingerprint,
                                                            Progress& resumed);

}  // namespace sotto::pipeline
