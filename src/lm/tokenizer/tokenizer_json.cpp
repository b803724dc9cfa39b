#include "lm/tokenizer/tokenizer_json.hpp"

#include <fmt/format.h>

#include "lm/tokenizer/byte_level_bpe.hpp"
#include "lm/tokenizer/word_piece_model.hpp"

namespace sotto::lm {
namespace {

/// Older files have no type.
Result<std::string> model_type(const JsonView& model) {
  if (model.find("type") != nullptr) return model.string("type", "");
  if (model.find("merges") != nullptr) return std::string("BPE");
  if (model.find("max_input_chars_per_word") != nullptr) return std::string("WordPiece");
  const Json* vocab = model.find("vocab");
  return std::string(vocab != nullptr && vocab->is_array() ? "Unigram" : "");
}

Result<void> read_vocabulary(const JsonView& model, SubwordVocabulary& vocabulary) {
  SOTTO_ASSIGN(const JsonView vocab, model.object("vocab"));
  for (const auto& [token, ignored] : vocab.json().items()) {
    SOTTO_ASSIGN(const SubwordId id, vocab.natural(token));
    SOTTO_TRY(vocabulary.add(token, id, vocab.place()));
  }
  return {};
}

/// Entries are "a b" or ["a", "b"].
Result<MergeList> read_merges(const JsonView& model) {
  const Json* merges = model.find("merges");
  if (merges == nullptr || !merges->is_array()) return model.wrong("merges", "is not a list");
  MergeList list;
  list.reserve(merges->size());
  for (const Json& merge : *merges) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      list.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
      return model.wrong("merges",
                         fmt::format("has an entry {} that is not a pair of tokens", list.size() + 1));
    list.emplace_back(text.substr(0, blank), text.substr(blank + 1));
  }
  return list;
}

/// The field must be absent, null, false, 0 or "": anything else would change ids.
Result<void> refuse_setting(const JsonView& view, std::string_view field) {
  const Json* value = view.find(field);
  const bool harmless = value == nullptr || *value == Json(false) || *value == Json("") ||
                        (value->is_number() && value->get<double>() == 0);
  if (harmless) return {};
  return view.wrong(field, fmt::format("is {}, which is not supported", value->dump(-1, ' ', true)));
}

/// The type of a step; "" if the field is absent or null.
Result<std::string> step_type(const JsonView& root, std::string_view field) {
  if (root.find(field) == nullptr) return std::string();
  SOTTO_ASSIGN(const JsonView step, root.object(field));
  return step.string("type", "");
}

/// Checks that a step has the type that the model needs; "": it must be absent.
Result<void> expect_step(const JsonView& root, std::string_view field, std::string_view wanted,
                         std::string_view model) {
  SOTTO_ASSIGN(const std::string type, step_type(root, field));
  if (type == wanted) return {};
  const std::string found = type.empty() ? "is absent" : fmt::format("of type '{}' is not supported", type);
  return root.wrong(field, wanted.empty() ? fmt::format("{}; for {} it must be null", found, model)
                                          : fmt::format("{}; {} needs '{}'", found, model, wanted));
}

Result<std::unique_ptr<const SubwordModel>> parse_bpe(const JsonView& root, const JsonView& model,
                                                      SubwordVocabulary& vocabulary) {
  SOTTO_TRY(expect_step(root, "normalizer", "", "byte-level BPE"));
  SOTTO_TRY(expect_step(root, "pre_tokenizer", "ByteLevel", "BPE"));
  for (const char* field : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback",
                            "ignore_merges", "fuse_unk"})
    SOTTO_TRY(refuse_setting(model, field));
  SOTTO_ASSIGN(const JsonView step, root.object("pre_tokenizer"));
  SOTTO_ASSIGN(const bool use_regex, step.boolean("use_regex", true));
  if (!use_regex) return step.wrong("use_regex", "is false, which is not supported");
  BpeSettings settings;
  SOTTO_ASSIGN(settings.add_prefix_space, step.boolean("add_prefix_space", true));
  SOTTO_TRY(read_vocabulary(model, vocabulary));
  SOTTO_ASSIGN(const std::string unknown, model.string("unk_token", ""));
  if (!unknown.empty()) settings.unknown = vocabulary.find(unknown);
  SOTTO_ASSIGN(const MergeList merges, read_merges(model));
  return ByteLevelBpe::make(vocabulary, merges, settings, root.place());
}

Result<BertNormalization> parse_bert_normalizer(const JsonView& root) {
  SOTTO_ASSIGN(const std::string type, step_type(root, "normalizer"));
  if (type.empty()) return BertNormalization{false, false, false, false};
  SOTTO_TRY(expect_step(root, "normalizer", "BertNormalizer", "WordPiece"));
  SOTTO_ASSIGN(const JsonView step, root.object("normalizer"));
  BertNormalization settings;
  SOTTO_ASSIGN(settings.clean_text, step.boolean("clean_text", true));
  SOTTO_ASSIGN(settings.handle_chinese_chars, step.boolean("handle_chinese_chars", true));
  SOTTO_ASSIGN(settings.lowercase, step.boolean("lowercase", true));
  SOTTO_ASSIGN(settings.strip_accents, step.boolean("strip_accents", settings.lowercase));
  return settings;
}

Result<std::unique_ptr<const SubwordModel>> parse_word_piece(const JsonView& root, const JsonView& model,
                                                             SubwordVocabulary& vocabulary) {
  SOTTO_TRY(expect_step(root, "pre_tokenizer", "BertPreTokenizer", "WordPiece"));
  WordPieceSettings settings;
  SOTTO_ASSIGN(settings.normalization, parse_bert_normalizer(root));
  SOTTO_ASSIGN(settings.unknown, model.string("unk_token", settings.unknown));
  SOTTO_ASSIGN(settings.continuation, model.string("continuing_subword_prefix", settings.continuation));
  if (settings.continuation.empty())
    return model.wrong("continuing_subword_prefix", "is empty, which is not supported");
  if (model.find("max_input_chars_per_word") != nullptr) {
    SOTTO_ASSIGN(settings.max_word_chars, model.natural("max_input_chars_per_word"));
  }
  if (root.find("decoder") != nullptr) {
    SOTTO_ASSIGN(const JsonView decoder, root.object("decoder"));
    SOTTO_ASSIGN(settings.clean_up, decoder.boolean("cleanup", true));
  }
  SOTTO_TRY(read_vocabulary(model, vocabulary));
  return WordPieceModel::make(vocabulary, settings, root.place());
}

Result<std::unique_ptr<const SubwordModel>> parse_model(const JsonView& root,
                                                        const std::vector<AddedToken>& added,
                                                        SubwordVocabulary& vocabulary) {
  SOTTO_ASSIGN(const JsonView model, root.object("model"));
  SOTTO_ASSIGN(const std::string type, model_type(model));
  if (type == "BPE") return parse_bpe(root, model, vocabulary);
  if (type == "WordPiece") return parse_word_piece(root, model, vocabulary);
  if (type == "Unigram") return parse_unigram(root, model, added, vocabulary);
  return model.wrong("type", fmt::format("'{}' is not supported; BPE, WordPiece and Unigram are", type));
}

Result<std::vector<AddedToken>> parse_added_tokens(const JsonView& root) {
  std::vector<AddedToken> tokens;
  const Json* list = root.find("added_tokens");
  if (list == nullptr) return tokens;
  if (!list->is_array()) return root.wrong("added_tokens", "is not a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].is_object()) return root.wrong("added_tokens", "has an entry that is not an object");
    const JsonView entry((*list)[i], fmt::format("{}: added_tokens[{}]", root.place(), i));
    SOTTO_ASSIGN(const SubwordId id, entry.natural("id"));
    SOTTO_ASSIGN(AddedToken token, parse_added_token(entry, id));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace

Result<AddedToken> parse_added_token(const JsonView& entry, SubwordId id) {
  AddedToken token;
  token.id = id;
  SOTTO_ASSIGN(token.content, entry.string("content", ""));
  if (token.content.empty()) return entry.wrong("content", "is missing");
  SOTTO_ASSIGN(token.special, entry.boolean("special", false));
  SOTTO_ASSIGN(token.single_word, entry.boolean("single_word", false));
  SOTTO_ASSIGN(token.lstrip, entry.boolean("lstrip", false));
  SOTTO_ASSIGN(token.rstrip, entry.boolean("rstrip", false));
  SOTTO_ASSIGN(token.normalized, entry.boolean("normalized", !token.special));
  return token;
}

Result<TokenizerParts> read_tokenizer_json(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const Json json, read_json_object(file));
  const JsonView root(json, file.string());
  TokenizerParts parts;
  SOTTO_ASSIGN(std::vector<AddedToken> added, parse_added_tokens(root));
  // The model is built before they join the vocabulary: it finds only its own tokens inside words.
  SOTTO_ASSIGN(parts.model, parse_model(root, added, parts.vocabulary));
  for (const AddedToken& token : added)
    SOTTO_TRY(parts.vocabulary.add(token.content, token.id, root.place() + ": added_tokens"));
  parts.added = AddedTokens(std::move(added), *parts.model);
  SOTTO_ASSIGN(parts.post_template, parse_post_processor(root, parts.vocabulary));
  return parts;
}

}  // namespace sotto::lm
