// Tokenizers of language models: whatever opens yields ids of its own vocabulary and ranges inside the text.
#include <cstdlib>

#include "fuzz.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"

namespace {

using namespace sotto;
using fuzz::require;

const int kPluginsAreChosen = ::setenv("SOTTO_PLUGINS", SOTTO_FUZZ_PLUGINS, 1);

constexpr std::string_view kTexts[] = {"", " ", "Hello, w\u00F6rld! 3.5\n\u65E5\u672C \U0001F600 don't",
                                       "<s></s><mask>[MASK]<pad>", "\xFF\xC3 a\u0301\u200D\x01"};

void check_encoding(const lm::SubwordTokenizer& tokenizer, std::string_view text,
                    const lm::EncodeOptions& options) {
  const lm::Encoding encoding = tokenizer.encode(text, options);
  require(encoding.type_ids.size() == encoding.ids.size() && encoding.ranges.size() == encoding.ids.size(),
          "every id has its type and range");
  require(encoding.first.begin <= encoding.first.end && encoding.first.end <= encoding.ids.size(),
          "the text's ids are among all ids");
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    require(encoding.ids[i] < tokenizer.size(), "every id is in the vocabulary");
    require(encoding.ranges[i].begin <= encoding.ranges[i].end && encoding.ranges[i].end <= text.size(),
            "every range lies in the text");
    const bool inside = i >= encoding.first.begin && i < encoding.first.end;
    require(!inside || options.special_in_text || !tokenizer.is_special(encoding.ids[i]) ||
                encoding.ids[i] == tokenizer.special().unk,
            "a text cannot forge special tokens");
  }
  (void)tokenizer.decode(encoding.ids);
  (void)tokenizer.decode(encoding.ids, true);
}

void use(const std::filesystem::path& folder) {
  const auto opened = lm::SubwordTokenizer::open(folder);
  if (!opened) return;
  const lm::SubwordTokenizer& tokenizer = **opened;
  for (const std::string_view text : kTexts)
    for (const bool special : {false, true})
      check_encoding(tokenizer, text, {.add_special = special, .ranges = true, .special_in_text = special});
  (void)tokenizer.encode_pair(kTexts[2], kTexts[3], {.ranges = true});
  (void)tokenizer.encode_word("Word", true);
  for (lm::SubwordId id = 0; id < tokenizer.size() && id < 300; ++id) {
    (void)tokenizer.surface(id);
    (void)tokenizer.is_whole_word(id);
    (void)tokenizer.encode(tokenizer.token(id));
  }
}

const std::initializer_list<std::string_view> kFiles = {"tokenizer.json",
                                                        "vocab.json",
                                                        "merges.txt",
                                                        "encoder.json",
                                                        "vocab.bpe",
                                                        "vocab.txt",
                                                        "config.json",
                                                        "tokenizer_config.json",
                                                        "special_tokens_map.json",
                                                        "added_tokens.json",
                                                        "spiece.model"};

}  // namespace

SOTTO_FUZZ_TARGET(tokenizer_json) {
  std::filesystem::create_directories(fuzz::scratch() / "tokenizer_json");
  fuzz::write_scratch("tokenizer_json/tokenizer.json", input);
  use(fuzz::scratch() / "tokenizer_json");
}

SOTTO_FUZZ_TARGET(tokenizer_folder) {
  use(fuzz::unpack(input, "tokenizer_folder", kFiles, false));
}

SOTTO_FUZZ_TARGET(sentencepiece) {
  const bool fairseq = fuzz::take_byte(input) % 2 == 0;
  const char* const folder = fairseq ? "xlm" : "t5";
  std::filesystem::create_directories(fuzz::scratch() / folder);
  fuzz::write_scratch(std::filesystem::path(folder) / (fairseq ? "sentencepiece.bpe.model" : "spiece.model"),
                      input);
  use(fuzz::scratch() / folder);
}
