#include "lm/tokenizer/sentence_piece_model.hpp"

#include <array>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lm/tokenizer/unigram_model.hpp"

namespace sotto::lm {
namespace {

constexpr std::array<std::string_view, 4> kFairseqFirst = {"<s>", "<pad>", "</s>", "<unk>"};
constexpr SubwordId kFairseqUnknown = 3;
constexpr std::array<std::string_view, 3> kFileFirst = {"<unk>", "<s>", "</s>"};
constexpr int kFileSpecials = kFileFirst.size();

}  // namespace

Result<std::unique_ptr<const SentencePieceModel>> SentencePieceModel::open(const std::filesystem::path& file,
                                                                           PieceIds ids) {
  SOTTO_ASSIGN(const std::string bytes, base::read_file(file));
  std::unique_ptr<SentencePieceModel> model(new SentencePieceModel());
  model->ids_ = ids;
  SOTTO_ASSIGN(model->pieces_, read_sentence_pieces(bytes, file.string()));
  // Concatenated protocol buffers are merged, and the last value wins: normalizer_spec.add_dummy_prefix =
  // false.
  SOTTO_ASSIGN(model->after_text_,
               read_sentence_pieces(bytes + std::string("\x1A\x02\x18\x00", 4), file.string()));
  return model;
}

SubwordId SentencePieceModel::to_model_id(int piece) const {
  if (ids_ == PieceIds::as_in_file) return static_cast<SubwordId>(piece);
  return piece == pieces_->unknown() ? kFairseqUnknown : static_cast<SubwordId>(piece) + 1;
}

Result<void> SentencePieceModel::fill(SubwordVocabulary& vocabulary, std::string_view file) const {
  const bool fairseq = ids_ == PieceIds::fairseq;
  for (int i = 0; fairseq && i < kFileSpecials; ++i)
    if (i >= pieces_->size() || pieces_->spelling(i) != kFileFirst[static_cast<std::size_t>(i)])
      return fail(Errc::bad_format,
                  fmt::format("{}: the pieces do not begin with <unk>, <s>, </s> as XLM-RoBERTa's do", file));
  for (std::size_t i = 0; fairseq && i < kFairseqFirst.size(); ++i)
    SOTTO_TRY(vocabulary.add(kFairseqFirst[i], static_cast<SubwordId>(i), file));
  for (int piece = fairseq ? kFileSpecials : 0; piece < pieces_->size(); ++piece)
    SOTTO_TRY(vocabulary.add(pieces_->spelling(piece), to_model_id(piece), file));
  return {};
}

void SentencePieceModel::encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const {
  const SentencePieces& pieces = place == SegmentPlace::after_text ? *after_text_ : *pieces_;
  if (sink.wants_ranges()) {
    for (const SentencePiece& piece : pieces.encode_with_ranges(normalized))
      sink.add(to_model_id(piece.id), piece.begin, piece.end);
  } else {
    for (const int id : pieces.encode(normalized)) sink.add(to_model_id(id), 0, 0);
  }
}

std::string SentencePieceModel::decode(std::span<const std::string_view> tokens) const {
  return pieces_->decode(tokens);
}

bool SentencePieceModel::starts_word(std::string_view token) const {
  return token.starts_with(kMetaspace);
}

std::string SentencePieceModel::surface(std::string_view token) const {
  return std::string(starts_word(token) ? token.substr(kMetaspace.size()) : token);
}

}  // namespace sotto::lm
