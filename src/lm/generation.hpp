// DP-Paraphrase and DP-Prompt: a decoder rewrites a text token by token, drawing each token.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/guarantee.hpp>

#include "lm/drawn_text.hpp"
#include "lm/language_model.hpp"
#include "lm/logit_law.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace sotto::lm {

/// A model that continues or answers texts, with its tokenizer. Immutable, so safe to share between threads.
class TextWriter {
 public:
  /// `prompt` has "{}" in place of the text. Empty: "<|endoftext|>{}<|paraphrase|>" if the vocabulary has
  /// that token, otherwise DP-Prompt's prompt.
  static Result<std::shared_ptr<const TextWriter>> make(std::shared_ptr<const CausalModel> model,
                                                        std::shared_ptr<const SubwordTokenizer> tokenizer,
                                                        std::string_view prompt);
  /// Opens a model folder through the plugin.
  static Result<std::shared_ptr<const TextWriter>> open(const std::filesystem::path& folder,
                                                        const LanguageModelResources& resources,
                                                        std::string_view prompt);

  const CausalModel& model() const { return *model_; }
  const SubwordTokenizer& tokenizer() const { return *tokenizer_; }
  std::int32_t end() const { return end_; }

  /// The possible output tokens: all but the special ones, plus the end of text. Fixed by the vocabulary.
  const std::vector<std::uint32_t>& outcomes() const { return outcomes_; }

  /// The ids of a text. Special tokens in it are treated as plain characters.
  std::vector<SubwordId> ids(std::string_view text) const;
  /// The model's input for a text, or a part of one, with these ids.
  Sequence prompt(std::span<const SubwordId> text) const;
  /// The number of ids in a prompt besides those of the text.
  std::size_t overhead() const { return before_.size() + after_.size(); }

 private:
  TextWriter() = default;

  std::shared_ptr<const CausalModel> model_;
  std::shared_ptr<const SubwordTokenizer> tokenizer_;
  void frame(std::string_view before, std::string_view after, std::optional<SubwordId> paraphrase);

  std::vector<SubwordId> before_;  // the ids around those of a text
  std::vector<SubwordId> after_;
  std::string blanks_;  // before a text; they are part of its first token
  std::int32_t end_ = 0;
  std::vector<std::uint32_t> outcomes_;
};

struct GenerationOptions {
  double epsilon = 0;      ///< per draw
  std::size_t length = 0;  ///< maximum tokens of an output; 0: as many as the input has
};

/// A text to rewrite.
struct GenerationDocument : DrawnText {
  std::vector<std::vector<SubwordId>> parts;  ///< by prepare(): each is read at once
  std::vector<std::size_t> lengths;           ///< by prepare(): the maximum tokens written for each part
  std::string output;                         ///< by rewrite()
};

/// Immutable, so safe to share between threads.
class GenerationMechanism {
 public:
  /// Logits are clipped to `bounds`.
  static Result<std::shared_ptr<const GenerationMechanism>> make(std::shared_ptr<const TextWriter> writer,
                                                                 const GenerationOptions& options,
                                                                 const LogitBounds& bounds);

  /// Determines the maximum number of draws: the text's number of tokens, or the fixed number. A text that is
  /// too long for the model is split into parts, each rewritten alone; with a fixed number only its beginning
  /// is read. The number of parts, of draws, and of draws per part follows from the number of tokens alone:
  /// between texts that agree in it, the guarantee of every draw holds.
  void prepare(GenerationDocument& document) const;

  /// Rewrites prepared documents. A part ends at the model's end of text or at its maximum length.
  /// `made` hears of the draws of each step.
  Result<void> rewrite(std::span<GenerationDocument> documents, const DrawsMade& made = {}) const;

  std::size_t good_batch() const;
  const TextWriter& writer() const { return *writer_; }
  const LogitBounds& bounds() const { return bounds_; }

  /// The guarantee of one draw.
  Guarantee guarantee() const;

 private:
  GenerationMechanism(std::shared_ptr<const TextWriter> writer, const GenerationOptions& options,
                      const LogitBounds& bounds, LogitLaw law)
      : writer_(std::move(writer)), options_(options), bounds_(bounds), law_(std::move(law)) {}

  struct Row;
  std::size_t most_input() const;
  Result<void> write(std::span<Row> rows, const DrawsMade& made) const;

  std::shared_ptr<const TextWriter> writer_;
  GenerationOptions options_;
  LogitBounds bounds_;
  LogitLaw law_;
};

}  // namespace sotto::lm
