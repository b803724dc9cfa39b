// The folder with the tokenized corpus. A manifest next to it records what it was made from, so that a later
// run can tell whether to reuse it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <sotto/result.hpp>
#include <sotto/train.hpp>

namespace sotto::train {

/// Counts from tokenizing; kept in the manifest.
struct TokenizedCorpus {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t tokens = 0;
};

/// Everything that determines the tokenized corpus, as canonical text: paths, sizes and times of the inputs,
/// digests of phrases and vocabulary, and the options.
Result<std::string> corpus_key(const TrainOptions& options, const std::string& phrase_digest);

/// Not thread-safe. If destroyed without finish(), leaves a complete tokenized corpus behind, or nothing.
class WorkFolder {
 public:
  /// Creates the folder if it does not exist.
  static Result<WorkFolder> open(const TrainOptions& options, std::string key);
  WorkFolder(WorkFolder&& other) noexcept = default;
  WorkFolder& operator=(WorkFolder&& other) = delete;
  ~WorkFolder();

  std::filesystem::path tokens() const { return folder_ / "tokens.txt"; }

  /// Whether the folder holds the tokenized corpus of this key; if so, `corpus` describes it.
  bool holds(TokenizedCorpus& corpus) const;
  /// Discards existing contents; must be called before tokens() is written.
  void clear();
  /// Must be called when tokens() is complete.
  Result<void> record(const TokenizedCorpus& corpus);
  /// Removes the contents, and the folder if nothing else is in it.
  void finish();

 private:
  WorkFolder(std::filesystem::path folder, std::string key)
      : folder_(std::move(folder)), key_(std::move(key)) {}
  std::filesystem::path manifest() const { return folder_ / "manifest.json"; }

  std::filesystem::path folder_;
  std::string key_;
};

}  // namespace sotto::train
