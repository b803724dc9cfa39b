// Phrase tables: whatever opens segments texts within their bounds, and what verifies finds its phrases.
#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "collocation/segmenter.hpp"
#include "fuzz.hpp"
#include "seals.hpp"
#include "text/output_buffer.hpp"

namespace {

using namespace sotto;
using fuzz::require;

constexpr std::string_view kText = "I think, therefore I am in New York City. New\nYork 3 York new york";

void segment(const std::shared_ptr<const PhraseTable>& table) {
  text::OutputBuffer text;
  text.append(kText);
  std::vector<Token> tokens;
  tokenize(text.view(), tokens);
  for (const auto method : {Segmentation::gst, Segmentation::mst, Segmentation::optimal}) {
    std::vector<collocation::Piece> pieces;
    collocation::Segmenter(table, method).segment(text.view(), tokens, pieces);
    std::uint32_t next = 0;
    for (const collocation::Piece& piece : pieces) {
      require(piece.first == next && piece.length >= 1 && piece.length <= 3, "pieces follow one another");
      require((piece.phrase == kNoPhrase) == (piece.length == 1), "a piece of several words is a phrase");
      require(piece.phrase == kNoPhrase || piece.phrase < table->size(), "a phrase is in the table");
      next += piece.length;
    }
    require(next == tokens.size(), "every token belongs to a piece");
  }
}

void open_and_use(const std::filesystem::path& file) {
  const auto table = PhraseTable::open(file);
  if (!table) return;
  const bool sound = (*table)->verify().has_value();
  for (PhraseId id = 0; id < (*table)->size(); ++id) {
    const std::string phrase = (*table)->phrase(id);
    const PhraseId found = (*table)->find(phrase);
    require(!sound || found == id, "a sound table finds its phrases");
    (void)(*table)->pmi(id);
    (void)(*table)->count(id);
  }
  segment(*table);
}

}  // namespace

SOTTO_FUZZ_TARGET(phrases) {
  open_and_use(fuzz::write_scratch("phrases.safetensors", input));
  if (const auto sealed = fuzz::with_right_digest(std::string(input)))
    open_and_use(fuzz::write_scratch("sealed.safetensors", *sealed));
}
