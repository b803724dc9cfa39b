// Determines which of a folder's files describe its tokenizer.
#include <fmt/format.h>

#include "lm/tokenizer/subword_tokenizer.hpp"
#include "lm/tokenizer/tokenizer_files.hpp"
#include "lm/tokenizer/tokenizer_json.hpp"
#include "text/printable.hpp"

namespace sotto::lm {
namespace {

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

Result<TokenizerParts> read_bpe_pair(const std::filesystem::path& vocabulary,
                                     const std::filesystem::path& merges, const TokenizerSettings& settings) {
  if (is_there(vocabulary) && is_there(merges)) return read_bpe_files(vocabulary, merges, settings);
  const auto& absent = is_there(vocabulary) ? merges : vocabulary;
  const auto& present = is_there(vocabulary) ? vocabulary : merges;
  return fail(Errc::not_found,
              fmt::format("{}: not found, but {} needs it", absent.string(), present.filename().string()));
}

Result<TokenizerParts> read_parts(const TokenizerSettings& settings) {
  const std::filesystem::path& folder = settings.folder;
  if (is_there(folder / "tokenizer.json")) return read_tokenizer_json(folder / "tokenizer.json");
  for (const auto& [vocabulary, merges] :
       {std::pair("vocab.json", "merges.txt"), std::pair("encoder.json", "vocab.bpe")})
    if (is_there(folder / vocabulary) || is_there(folder / merges))
      return read_bpe_pair(folder / vocabulary, folder / merges, settings);
  if (is_there(folder / "vocab.txt")) return read_word_piece_file(folder / "vocab.txt", settings);
  if (is_there(folder / "spiece.model")) return read_t5_file(folder / "spiece.model", settings);
  if (is_there(folder / "sentencepiece.bpe.model"))
    return read_xlm_roberta_file(folder / "sentencepiece.bpe.model", settings);
  return fail(Errc::not_found,
              fmt::format("{}: no tokenizer here; looked for tokenizer.json, vocab.json with merges.txt, "
                          "vocab.txt, spiece.model and sentencepiece.bpe.model",
                          folder.string()));
}

}  // namespace

Result<std::shared_ptr<const SubwordTokenizer>> SubwordTokenizer::open(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return fail(Errc::not_found, fmt::format("{}: no such folder", folder.string()));
  SOTTO_ASSIGN(const TokenizerSettings settings, read_tokenizer_settings(folder));
  SOTTO_ASSIGN(TokenizerParts parts, read_parts(settings));
  parts.special = find_special_ids(settings, parts.vocabulary);
  auto tokenizer = std::make_shared<const SubwordTokenizer>(std::move(parts));
  SOTTO_TRY(tokenizer->check_special_tokens(folder));
  return tokenizer;
}

Result<void> SubwordTokenizer::check_special_tokens(const std::filesystem::path& folder) const {
  std::vector<std::string_view> texts = {"\u4E00\U0010FFFD"};  // unknown to most models
  for (const AddedToken& token : parts_.added.all())
    if (token.special) texts.push_back(token.content);
  for (const std::string_view text : texts)
    for (const SubwordId id : encode(text, {.add_special = false, .special_in_text = false}).ids)
      if (is_special(id) && id != special().unk)
        return fail(Errc::bad_format,
                    fmt::format("{}: the text '{}' would become the special token '{}'", folder.string(),
                                text::printable(text), text::printable(token(id))));
  return {};
}

}  // namespace sotto::lm
