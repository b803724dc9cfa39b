// Where the output goes: standard output, a file that appears when complete, or a file that can be resumed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

#include "pipeline/record_reader.hpp"

namespace sotto {

/// What was found in one input.
struct InputTally {
  std::uint64_t records = 0;    ///< that are not blank
  std::uint64_t documents = 0;  ///< and records that were withheld
};

/// How far a run has come: everything before `position` is in the output.
struct Progress {
  Position position;
  std::uint64_t output_bytes = 0;
  Counts counts;
  InputTally input;  ///< of the input at `position`
  std::set<std::string> clear_fields;
};

class OutputTarget {
 public:
  virtual ~OutputTarget() = default;
  virtual Result<void> write(std::string_view data) = 0;
  /// Told after each write how far the run has come.
  virtual Result<void> progressed(const Progress&) { return {}; }
  /// Makes the output appear under its name.
  virtual Result<void> commit() { return {}; }
};

/// Standard output when `file` is empty. A path to something that is not a regular file (a device, a named
/// pipe) is written to directly.
Result<std::unique_ptr<OutputTarget>> open_output(const std::optional<std::filesystem::path>& file);

/// The same for a file that only its owner may read, whatever mode the file had that it replaces.
Result<std::unique_ptr<OutputTarget>> open_private_output(const std::filesystem::path& file);

/// A file that keeps what an interrupted run wrote, beside a note of how far it came. `fingerprint`
/// identifies the run; a note of another run is refused. `resumed` receives the progress of the earlier run,
/// or an empty one.
Result<std::unique_ptr<OutputTarget>> open_resumable_output(const std::filesystem::path& file,
                                                            const std::string& fingerprint,
                                                            Progress& resumed);

}  // namespace sotto
