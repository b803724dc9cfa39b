#include "lm/tokenizer/tokenizer_files.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "lm/tokenizer/byte_level_bpe.hpp"
#include "lm/tokenizer/sentence_piece_model.hpp"
#include "lm/tokenizer/word_piece_model.hpp"

namespace sotto::lm {
namespace {

/// Calls apply(line, number) for every line; lines end with "\n" or "\r\n".
template <class Apply>
Result<void> for_each_line(const std::filesystem::path& file, const Apply& apply) {
  SOTTO_ASSIGN(const std::string text, base::read_file(file));
  if (!is_valid_utf8(text)) return fail(Errc::bad_format, fmt::format("{}: not valid UTF-8", file.string()));
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    SOTTO_TRY(apply(line, ++number));
    begin = end + 1;
  }
  return {};
}

Result<MergeList> read_merges(const std::filesystem::path& file) {
  MergeList merges;
  SOTTO_TRY(for_each_line(file, [&](std::string_view line, std::size_t number) -> Result<void> {
    if (line.empty() || line.starts_with("#version")) return {};
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos)
      return fail(Errc::bad_format,
                  fmt::format("{}: line {} is not a pair of tokens with one blank between them",
                              file.string(), number));
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
    return {};
  }));
  return merges;
}

/// Adds the special tokens of these names that are in the vocabulary.
void add_special_tokens(const SubwordVocabulary& vocabulary, std::initializer_list<std::string_view> names,
                        std::vector<AddedToken>& tokens) {
  for (const std::string_view name : names)
    if (const auto id = vocabulary.find(name))
      tokens.push_back(
          {.id = *id, .content = std::string(name), .special = true, .lstrip = name == "<mask>"});
}

/// Adds the tokens listed in the settings, and what depends on the whole vocabulary.
Result<TokenizerParts> complete(TokenizerParts parts, std::vector<AddedToken> added,
                                const TokenizerSettings& settings) {
  SOTTO_TRY(add_listed_tokens(settings, parts.vocabulary, added));
  parts.added = AddedTokens(std::move(added), *parts.model);
  return parts;
}

/// Rejects a folder that names another kind of tokenizer than the one its file is read as.
Result<void> expect_kind(const TokenizerSettings& settings, std::string_view file,
                         std::initializer_list<std::string_view> classes,
                         std::initializer_list<std::string_view> model_types) {
  const JsonView tokenizer = settings.tokenizer_view();
  const JsonView config(settings.config, (settings.folder / "config.json").string());
  SOTTO_ASSIGN(const std::string tokenizer_class, tokenizer.string("tokenizer_class", ""));
  SOTTO_ASSIGN(const std::string model_type, config.string("model_type", ""));
  const auto among = [](const std::string& name, std::initializer_list<std::string_view> names) {
    return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!among(tokenizer_class, classes))
    return tokenizer.wrong("tokenizer_class", fmt::format("'{}' is not supported for {}; {} is",
                                                          tokenizer_class, file, *classes.begin()));
  if (tokenizer_class.empty() && !among(model_type, model_types))
    return config.wrong("model_type", fmt::format("'{}' is not supported for {}; {} is", model_type, file,
                                                  *model_types.begin()));
  return {};
}

}  // namespace

Result<TokenizerParts> read_bpe_files(const std::filesystem::path& vocabulary_file,
                                      const std::filesystem::path& merges_file,
                                      const TokenizerSettings& settings) {
  TokenizerParts parts;
  SOTTO_ASSIGN(const Json json, read_json_object(vocabulary_file));
  const JsonView view(json, vocabulary_file.string());
  for (const auto& [token, ignored] : json.items()) {
    SOTTO_ASSIGN(const SubwordId id, view.natural(token));
    SOTTO_TRY(parts.vocabulary.add(token, id, view.place()));
  }
  SOTTO_ASSIGN(const MergeList merges, read_merges(merges_file));
  BpeSettings bpe;
  SOTTO_ASSIGN(bpe.add_prefix_space, settings.tokenizer_view().boolean("add_prefix_space", false));
  // The bounded masked model reads single tokens of a text, each merged as a unit.
  const auto type = settings.config.find("model_type");
  bpe.whole_segments = type != settings.config.end() && *type == "sotto-bounded-mlm";
  SOTTO_ASSIGN(parts.model, ByteLevelBpe::make(parts.vocabulary, merges, bpe, merges_file.string()));
  const auto cls = parts.vocabulary.find("<s>");
  const auto sep = parts.vocabulary.find("</s>");
  if (cls && sep) parts.post_template = roberta_template(*cls, *sep);
  std::vector<AddedToken> added;
  add_special_tokens(parts.vocabulary, {"<s>", "</s>", "<pad>", "<unk>", "<mask>", "<|endoftext|>"}, added);
  return complete(std::move(parts), std::move(added), settings);
}

Result<TokenizerParts> read_word_piece_file(const std::filesystem::path& file,
                                            const TokenizerSettings& settings) {
  TokenizerParts parts;
  SOTTO_TRY(for_each_line(file, [&](std::string_view line, std::size_t number) -> Result<void> {
    if (line.empty()) return {};
    return parts.vocabulary.add(line, static_cast<SubwordId>(number - 1), file.string());
  }));
  const JsonView config = settings.tokenizer_view();
  WordPieceSettings word_piece;
  BertNormalization& normalization = word_piece.normalization;
  SOTTO_ASSIGN(normalization.lowercase, config.boolean("do_lower_case", true));
  SOTTO_ASSIGN(normalization.strip_accents, config.boolean("strip_accents", normalization.lowercase));
  SOTTO_ASSIGN(normalization.handle_chinese_chars, config.boolean("tokenize_chinese_chars", true));
  SOTTO_ASSIGN(parts.model, WordPieceModel::make(parts.vocabulary, word_piece, file.string()));
  const auto cls = parts.vocabulary.find("[CLS]");
  const auto sep = parts.vocabulary.find("[SEP]");
  if (!cls || !sep)
    return fail(Errc::bad_format, fmt::format("{}: the vocabulary lacks the token '{}'", file.string(),
                                              cls ? "[SEP]" : "[CLS]"));
  parts.post_template = bert_template(*cls, *sep);
  std::vector<AddedToken> added;
  add_special_tokens(parts.vocabulary, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, added);
  return complete(std::move(parts), std::move(added), settings);
}

Result<TokenizerParts> read_t5_file(const std::filesystem::path& file, const TokenizerSettings& settings) {
  const std::string name = file.filename().string();
  SOTTO_TRY(expect_kind(settings, name, {"T5Tokenizer", "T5TokenizerFast"}, {"t5", "mt5", "umt5"}));
  SOTTO_ASSIGN(auto model, SentencePieceModel::open(file, PieceIds::as_in_file));
  TokenizerParts parts;
  SOTTO_TRY(model->fill(parts.vocabulary, file.string()));
  parts.model = std::move(model);
  const auto eos = parts.vocabulary.find("</s>");
  if (eos) parts.post_template = t5_template(*eos);
  std::vector<AddedToken> added;
  add_special_tokens(parts.vocabulary, {"<s>", "</s>", "<pad>", "<unk>"}, added);
  // T5 numbers its sentinels down from the end of the vocabulary; a folder that claims to be T5's has 100.
  const JsonView config = settings.tokenizer_view();
  const bool is_t5 = config.find("tokenizer_class") != nullptr || settings.config.contains("model_type");
  std::uint32_t sentinels = is_t5 ? 100 : 0;
  if (config.find("extra_ids") != nullptr) {
    SOTTO_ASSIGN(sentinels, config.natural("extra_ids"));
    if (sentinels > 100000) return config.wrong("extra_ids", "is above 100000");
  }
  const auto pieces = static_cast<SubwordId>(parts.vocabulary.size());
  for (std::uint32_t i = 0; i < sentinels; ++i) {
    const std::string sentinel = fmt::format("<extra_id_{}>", i);
    SOTTO_TRY(parts.vocabulary.add(sentinel, pieces + sentinels - 1 - i, file.string()));
    added.push_back({.id = pieces + sentinels - 1 - i, .content = sentinel, .special = true});
  }
  return complete(std::move(parts), std::move(added), settings);
}

Result<TokenizerParts> read_xlm_roberta_file(const std::filesystem::path& file,
                                             const TokenizerSettings& settings) {
  const std::string name = file.filename().string();
  SOTTO_TRY(expect_kind(settings, name, {"XLMRobertaTokenizer", "XLMRobertaTokenizerFast"}, {"xlm-roberta"}));
  SOTTO_ASSIGN(auto model, SentencePieceModel::open(file, PieceIds::fairseq));
  TokenizerParts parts;
  SOTTO_TRY(model->fill(parts.vocabulary, file.string()));
  parts.model = std::move(model);
  parts.post_template = roberta_template(0, 2);
  const auto mask = static_cast<SubwordId>(parts.vocabulary.size());
  SOTTO_TRY(parts.vocabulary.add("<mask>", mask, file.string()));
  std::vector<AddedToken> added;
  add_special_tokens(parts.vocabulary, {"<s>", "</s>", "<pad>", "<unk>", "<mask>"}, added);
  return complete(std::move(parts), std::move(added), settings);
}

}  // namespace sotto::lm
