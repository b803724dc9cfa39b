#include "lm/tokenizer/sentence_pieces.hpp"

#include <fmt/format.h>

#include "base/plugin.hpp"

namespace sotto::lm {
namespace {

constexpr base::Plugin kPlugin = {.file = "libsotto_sentencepiece.so",
                                  .purpose = "sentencepiece models",
                                  .remedy = "sentencepiece (Debian: libsentencepiece-dev)"};

}  // namespace

Result<std::unique_ptr<const SentencePieces>> read_sentence_pieces(std::string_view bytes,
                                                                   std::string_view file) {
  static const Result<void*> kReader = base::load_plugin_function(kPlugin, kSentencePiecesReader);
  SOTTO_ASSIGN(void* const reader, kReader);
  std::unique_ptr<const SentencePieces> pieces(
      reinterpret_cast<SentencePiecesReader>(reader)(bytes.data(), bytes.size()));
  if (pieces == nullptr) return fail(Errc::bad_format, fmt::format("{}: not a sentencepiece model", file));
  return pieces;
}

}  // namespace sotto::lm
