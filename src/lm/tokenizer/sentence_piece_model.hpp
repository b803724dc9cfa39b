// sentencepiece models in their own format, through libsentencepiece.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

#include "lm/tokenizer/sentence_pieces.hpp"
#include "lm/tokenizer/subword_model.hpp"
#include "lm/tokenizer/subword_vocabulary.hpp"

namespace sotto::lm {

/// How ids of the file map to ids of the language model.
enum class PieceIds {
  as_in_file,  ///< T5
  fairseq,     ///< XLM-RoBERTa: <s> <pad> </s> <unk> come first, all other pieces move up by one
};

class SentencePieceModel final : public SubwordModel {
 public:
  static Result<std::unique_ptr<const SentencePieceModel>> open(const std::filesystem::path& file,
                                                                PieceIds ids);

  /// Adds the pieces of the file to the vocabulary. `file` is for messages.
  Result<void> fill(SubwordVocabulary& vocabulary, std::string_view file) const;

  void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const override;
  std::string decode(std::span<const std::string_view> tokens) const override;
  bool starts_word(std::string_view token) const override;
  std::string surface(std::string_view token) const override;

 private:
  SentencePieceModel() = default;
  SubwordId to_model_id(int piece) const;

  PieceIds ids_ = PieceIds::as_in_file;
  std::unique_ptr<const SentencePieces> pieces_;
  std::unique_ptr<const SentencePieces> after_text_;  // prepends no blank to the text
};

}  // namespace sotto::lm
