// The folder with the tokenized corpus. A manifest beside it says what it was made of, so that a later run
// can tell whether it may use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <sotto/result.hpp>
#include <sotto/train.hpp>

namespace sotto {

/// What tokenizing found; kept in the manifest.
struct TokenizedCorpus {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t tokens = 0;
};

/// All that decides the tokenized corpus, as canonical text: paths, sizes and times of the inputs, digests of
/// phrases and vocabulary, and the options.
Result<std::string> corpus_key(const TrainOptions& options, const std::string& phrase_digest);

/// Not thread-safe. Destroyed without finish(), it leaves a complete tokenized corpus behind, or nothing.
class WorkFolder {
 public:
  /// Makes the folder if it is not there.
  static Result<WorkFolder> open(const TrainOptions& options, std::string key);
  WorkFolder(WorkFolder&& other) noexcept = default;
  WorkFolder& operator=(WorkFolder&& other) = delete;
  ~WorkFolder();

  std::filesystem::path tokens() const { return folder_ / "tokens.txt"; }

  /// True when the folder holds the tokenized corpus of this key; `corpus` then says what is in it.
  bool holds(TokenizedCorpus& corpus) const;
  /// Forgets what is there; to be called before tokens() is written.
  void clear();
  /// To be called when tokens() is complete.
  Result<void> record(const TokenizedCorpus& corpus);
  /// Removes what is in the folder, and the folder if nothing else is.
  void finish();

 private:
  WorkFolder(std::filesystem::path folder, std::string key)
      : folder_(std::move(folder)), key_(std::move(key)) {}
  std::filesystem::path manifest() const { return folder_ / "manifest.json"; }

  std::filesystem::path folder_;
  std::string key_;
};

}  // namespace sotto
