#include <new>

#include <sentencepiece_processor.h>

#include "lm/tokenizer/sentence_pieces.hpp"

namespace sotto::lm {
namespace {

// A loaded model encodes and decodes everything; there are no errors to report.
class Pieces final : public SentencePieces {
 public:
  bool load(absl::string_view bytes) {
    try {
      return processor_.LoadFromSerializedProto(bytes).ok() && processor_.GetPieceSize() > 0;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      return false;  // pieces that its tries cannot hold, such as one that begins with NUL
    }
  }
  int size() const override { return processor_.GetPieceSize(); }
  int unknown() const override { return processor_.unk_id(); }
  std::string spelling(int id) const override { return processor_.IdToPiece(id); }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    return processor_.Encode(text, &ids).ok() ? ids : std::vector<int>();
  }

  std::vector<SentencePiece> encode_with_ranges(std::string_view text) const override {
    sentencepiece::ImmutableSentencePieceText encoded;
    std::vector<SentencePiece> pieces;
    if (!processor_.Encode(text, encoded.mutable_proto()).ok()) return pieces;
    for (const auto& piece : encoded.pieces())
      pieces.push_back({static_cast<int>(piece.id()), piece.begin(), piece.end()});
    return pieces;
  }

  std::string decode(std::span<const std::string_view> spellings) const override {
    const std::vector<absl::string_view> pieces(spellings.begin(), spellings.end());
    std::string text;
    return processor_.Decode(pieces, &text).ok() ? text : std::string();
  }

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace
}  // namespace sotto::lm

extern "C" __attribute__((visibility("default"))) const sotto::lm::SentencePieces* sotto_read_sentence_pieces(
    const char* bytes, std::size_t size) {
  auto pieces = std::make_unique<sotto::lm::Pieces>();
  return pieces->load({bytes, size}) ? pieces.release() : nullptr;
}
