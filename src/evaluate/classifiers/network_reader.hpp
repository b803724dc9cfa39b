// Texts as networks read them: words of a vector model, or subwords of a language model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/classifiers/classifier.hpp"
#include "evaluate/classifiers/network_training.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::evaluate {

/// Immutable, so safe to share between threads.
class NetworkReader {
 public:
  virtual ~NetworkReader() = default;
  /// Fills `first`, which is empty, and also `second` if the texts of a pair are read separately.
  virtual void read(const LabelledText& text, lm::Sequence& first, lm::Sequence& second) const = 0;
  /// Whether the second text of a pair is a separate sequence.
  virtual bool apart() const = 0;
};

/// The texts, without targets.
NetworkTexts read_texts(const NetworkReader& reader, std::span<const LabelledText> texts, bool pairs,
                        unsigned threads);

/// Words by their ids in the model; unknown words are model.bottom(), but unknown punctuation is skipped.
/// Only the first `most` of a text are used.
std::unique_ptr<const NetworkReader> make_word_reader(std::shared_ptr<const Model> model, std::size_t most);

/// The rows of an embedding layer: the model's vectors, all scaled by one factor that makes the mean of the
/// squared numbers kEmbeddingPower, and last the mean vector, which represents unknown words.
inline constexpr double kEmbeddingPower = 0.25;
std::vector<float> embedding_rows(const Model& model);

/// Subwords of the tokenizer in a language model's folder, at most `most` positions including the tokens
/// around them. A pair is one sequence; the longer text is cut first. For a network whose words are pieces at
/// one position (limits.pieces above 1) the words of a text have the positions 0, 1, …, the two texts of a
/// pair are segments 0 and 1, and a single text is segment 1.
Result<std::unique_ptr<const NetworkReader>> make_subword_reader(const std::filesystem::path& folder,
                                                                 const lm::NetworkLimits& limits,
                                                                 std::size_t most, bool pairs);

}  // namespace sotto::evaluate
