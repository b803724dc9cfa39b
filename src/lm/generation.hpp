// DP-Paraphrase and DP-Prompt: a text is written anew by a decoder, token by token, each one drawn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/guarantee.hpp>

#include "lm/language_model.hpp"
#include "lm/logit_law.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto {

/// A model that continues or answers texts, with its tokenizer. Immutable, so safe to share between threads.
class TextWriter {
 public:
  /// `prompt` has "{}" where the text goes. Empty: "<|endoftext|>{}<|paraphrase|>" for a vocabulary with that
  /// token, otherwise that of DP-Prompt.
  static Result<std::shared_ptr<const TextWriter>> make(std::shared_ptr<const CausalModel> model,
                                                        std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                        std::string_view prompt);
  /// Opens a folder with the plugin.
  static Result<std::shared_ptr<const TextWriter>> open(const std::filesystem::path& folder,
                                                        const LanguageModelResources& resources,
                                                        std::string_view prompt);

  const CausalModel& model() const { return *model_; }
  const SubwordTokenizer& tokenizer() const { return *tokenizer_; }
  std::int32_t end() const { return end_; }

  /// The tokens that may come out: all but the special ones, and the end of a text. Fixed by the vocabulary.
  const std::vector<std::uint32_t>& outcomes() const { return outcomes_; }

  /// The ids of a text. Special tokens that stand in it are plain characters.
  std::vector<SubwordId> ids(std::string_view text) const;
  /// What the model is given for a text, or a part of one, of these ids.
  Sequence prompt(std::span<const SubwordId> text) const;
  /// How many ids a prompt has beside those of the text.
  std::size_t overhead() const { return before_.size() + after_.size(); }

 private:
  TextWriter() = default;

  std::shared_ptr<const CausalModel> model_;
  std::shared_ptr<const SubwordTokenizer> tokenizer_;
  void frame(std::string_view before, std::string_view after, std::optional<SubwordId> paraphrase);

  std::vector<SubwordId> before_;  // what stands around a text's ids
  std::vector<SubwordId> after_;
  std::string blanks_;  // before a text, because they are a part of its first token
  std::int32_t end_ = 0;
  std::vector<std::uint32_t> outcomes_;
};

struct GenerationOptions {
  double epsilon = 0;      ///< of a draw
  std::size_t length = 0;  ///< most tokens of an output; 0: as many as the input has
};

/// A text to be rewritten. What it points to must live until it has been.
struct GenerationDocument {
  std::string_view text;
  BitSource* bits = nullptr;  ///< its own; not shared with another document

  std::vector<std::vector<SubwordId>> parts;  ///< by prepare(): what is read at a time
  std::vector<std::size_t> lengths;           ///< by prepare(): the most tokens written for each
  std::uint64_t draws = 0;                    ///< by prepare(): at most so many will be made
  std::string output;                         ///< by rewrite()
};

/// Immutable, so safe to share between threads.
class GenerationMechanism {
 public:
  /// Logits are clipped to `bounds`.
  static Result<std::shared_ptr<const GenerationMechanism>> make(std::shared_ptr<const TextWriter> writer,
                                                                 const GenerationOptions& options,
                                                                 const LogitBounds& bounds);

  /// Decides how many draws there are at most: as many as the text has tokens, or the fixed number. A text
  /// that is too long for the model is cut into parts, each rewritten alone; with a fixed number only its
  /// beginning is read. How many parts and draws there are, and how many draws each part has, follows from
  /// the number of tokens alone: between texts that agree in it, every draw keeps its promise.
  void prepare(GenerationDocument& document) const;

  /// Writes prepared documents anew. A part ends at the model's end of text or at its most tokens.
  Result<void> rewrite(std::span<GenerationDocument> documents) const;

  std::size_t good_batch() const;
  const TextWriter& writer() const { return *writer_; }
  const LogitBounds& bounds() const { return bounds_; }

  /// What one draw promises.
  Guarantee guarantee() const;

 private:
  GenerationMechanism(std::shared_ptr<const TextWriter> writer, const GenerationOptions& options,
                      const LogitBounds& bounds, LogitLaw law)
      : writer_(std::move(writer)), options_(options), bounds_(bounds), law_(std::move(law)) {}

  struct Row;
  std::size_t most_input() const;
  Result<void> write(std::span<Row> rows) const;

  std::shared_ptr<const TextWriter> writer_;
  GenerationOptions options_;
  LogitBounds bounds_;
  LogitLaw law_;
};

}  // namespace sotto
