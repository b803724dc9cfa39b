// The only interface to fastText: trains on a file of tokens and provides the vectors. Exceptions of the
// library become error values; it is told not to print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <sotto/result.hpp>
#include <sotto/train.hpp>

namespace sotto::train {

class FasttextRun {
 public:
  /// `tokens` has one sentence per line, with tokens separated by blanks. Tokens that occur fewer than
  /// options.min_count times are skipped.
  static Result<FasttextRun> train(const std::filesystem::path& tokens, const TrainOptions& options);
  FasttextRun(FasttextRun&& other) noexcept;
  FasttextRun& operator=(FasttextRun&& other) noexcept;
  ~FasttextRun();

  /// Tokens in the vocabulary, including fastText's own end of sentence.
  std::uint32_t size() const;
  std::string token(std::uint32_t id) const;
  std::uint64_t count(std::uint32_t id) const;
  static bool is_sentence_end(std::string_view token);

  /// Both write options.dimension values.
  void input_vector(std::uint32_t id, std::span<float> out) const;
  void output_vector(std::uint32_t id, std::span<float> out) const;

  double loss() const;  ///< mean, as seen by the first thread

 private:
  struct Impl;
  explicit FasttextRun(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::train
