// Merges spilled runs: first their words, which yields a map from each run's ranks to the common ones, then
// their n-grams. The maps are ascending, so each run's n-grams are already in the common order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <sotto/result.hpp>

#include "collocation/ngrams.hpp"
#include "collocation/spilled_run.hpp"
#include "collocation/temporary_file.hpp"

namespace sotto::collocation {

class RunMerger {
 public:
  /// `file` and `runs` must outlive the merger. `buffer_bytes` is for reading, shared by all runs and by up
  /// to `threads` concurrent calls of merge(). Words, counts and maps are in temporary files in `folder`.
  static Result<RunMerger> create(const std::filesystem::path& folder, const TemporaryFile& file,
                                  const std::vector<SpilledRun>& runs, std::uint64_t buffer_bytes,
                                  unsigned threads);

  RankedWords words() const {
    return {{pool_.elements().data(), pool_.elements().size()}, offsets_.elements(), counts_.elements()};
  }

  /// Passes the n-grams whose first words are in [begin, end) to `sink`. Thread-safe.
  Result<void> merge(std::uint32_t begin, std::uint32_t end, NgramSink& sink) const;

 private:
  RunMerger() = default;
  Result<void> make_room(const std::filesystem::path& folder);
  Result<void> merge_words();

  const TemporaryFile* file_ = nullptr;
  const std::vector<SpilledRun>* runs_ = nullptr;
  std::size_t buffer_size_ = 0;  // per reader
  TemporaryArray<char> pool_;
  TemporaryArray<std::uint64_t> offsets_;
  TemporaryArray<std::uint64_t> counts_;
  TemporaryArray<std::uint32_t> all_maps_;
  std::vector<std::span<std::uint32_t>> maps_;  // per run: its ranks to the common ones
};

}  // namespace sotto::collocation
