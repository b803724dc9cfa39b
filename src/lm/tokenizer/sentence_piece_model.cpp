#include "lm/tokenizer/sentence_piece_model.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "base/file.hpp"
#include "lm/tokenizer/unigram_model.hpp"

namespace sotto {
namespace {

constexpr std::array<std::string_view, 4> kFairseqFirst = {"<s>", "<pad>", "</s>", "<unk>"};
constexpr SubwordId kFairseqUnknown = 3;
constexpr std::array<std::string_view, 3> kFileFirst = {"<unk>", "<s>", "</s>"};
constexpr int kFileSpecials = kFileFirst.size();

Result<std::unique_ptr<sentencepiece::SentencePieceProcessor>> load(const std::string& bytes,
                                                                    const std::string& file) {
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(bytes);
  if (!status.ok() || processor->GetPieceSize() == 0)
    return fail(Errc::bad_format, fmt::format("{}: not a sentencepiece model", file));
  return processor;
}

}  // namespace

SentencePieceModel::~SentencePieceModel() = default;

Result<std::unique_ptr<const SentencePieceModel>> SentencePieceModel::open(const std::filesystem::path& file,
                                                                           PieceIds ids) {
  SOTTO_ASSIGN(const std::string bytes, read_file(file));
  std::unique_ptr<SentencePieceModel> model(new SentencePieceModel());
  model->ids_ = ids;
  SOTTO_ASSIGN(model->processor_, load(bytes, file.string()));
  // Protocol buffers that are joined are merged, the last value counts: normalizer_spec.add_dummy_prefix =
  // false.
  SOTTO_ASSIGN(model->after_text_, load(bytes + std::string("\x1A\x02\x18\x00", 4), file.string()));
  return model;
}

SubwordId SentencePieceModel::to_model_id(int piece) const {
  if (ids_ == PieceIds::as_in_file) return static_cast<SubwordId>(piece);
  return piece == processor_->unk_id() ? kFairseqUnknown : static_cast<SubwordId>(piece) + 1;
}

Result<void> SentencePieceModel::fill(SubwordVocabulary& vocabulary, std::string_view file) const {
  const bool fairseq = ids_ == PieceIds::fairseq;
  for (int i = 0; fairseq && i < kFileSpecials; ++i)
    if (i >= processor_->GetPieceSize() ||
        processor_->IdToPiece(i) != kFileFirst[static_cast<std::size_t>(i)])
      return fail(Errc::bad_format,
                  fmt::format("{}: the pieces do not begin with <unk>, <s>, </s> as XLM-RoBERTa's do", file));
  for (std::size_t i = 0; fairseq && i < kFairseqFirst.size(); ++i)
    SOTTO_TRY(vocabulary.add(kFairseqFirst[i], static_cast<SubwordId>(i), file));
  for (int piece = fairseq ? kFileSpecials : 0; piece < processor_->GetPieceSize(); ++piece)
    SOTTO_TRY(vocabulary.add(processor_->IdToPiece(piece), to_model_id(piece), file));
  return {};
}

void SentencePieceModel::encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const {
  const auto& processor = place == SegmentPlace::after_text ? *after_text_ : *processor_;
  if (!sink.wants_ranges()) {
    std::vector<int> pieces;
    if (!processor.Encode(normalized, &pieces).ok()) return;
    for (const int piece : pieces) sink.add(to_model_id(piece), 0, 0);
    return;
  }
  sentencepiece::ImmutableSentencePieceText text;
  if (!processor.Encode(normalized, text.mutable_proto()).ok()) return;
  for (const auto& piece : text.pieces())
    sink.add(to_model_id(static_cast<int>(piece.id())), piece.begin(), piece.end());
}

std::string SentencePieceModel::decode(std::span<const std::string_view> tokens) const {
  std::vector<absl::string_view> pieces(tokens.begin(), tokens.end());
  std::string text;
  return processor_->Decode(pieces, &text).ok() ? text : std::string();
}

bool SentencePieceModel::starts_word(std::string_view token) const {
  return token.starts_with(kMetaspace);
}

std::string SentencePieceModel::surface(std::string_view token) const {
  return std::string(starts_word(token) ? token.substr(kMetaspace.size()) : token);
}

}  // namespace sotto
