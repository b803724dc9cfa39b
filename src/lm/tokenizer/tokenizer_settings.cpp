// Reads the settings files of a folder.
#include <charconv>
#include <initializer_list>

#include <fmt/format.h>

#include "lm/tokenizer/tokenizer_files.hpp"
#include "lm/tokenizer/tokenizer_json.hpp"

namespace sotto::lm {
namespace {

/// A token is named by a string or by an object with its content.
std::optional<std::string> named_token(const Json& settings, std::string_view field) {
  const auto found = settings.find(field);
  if (found == settings.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_object()) return std::nullopt;
  const auto content = found->find("content");
  if (content == found->end() || !content->is_string()) return std::nullopt;
  return content->get<std::string>();
}

std::optional<SubwordId> find_special(const TokenizerSettings& settings, const SubwordVocabulary& vocabulary,
                                      std::initializer_list<std::string_view> fields,
                                      std::initializer_list<std::string_view> usual_names) {
  for (const std::string_view field : fields)
    for (const Json* json : {&settings.special_tokens_map, &settings.tokenizer_config})
      if (const auto name = named_token(*json, field))
        if (const auto id = vocabulary.find(*name)) return id;
  for (const std::string_view name : usual_names)
    if (const auto id = vocabulary.find(name)) return id;
  return std::nullopt;
}

void put(std::vector<AddedToken>& tokens, AddedToken token) {
  for (AddedToken& other : tokens) {
    if (other.id != token.id) continue;
    other = std::move(token);
    return;
  }
  tokens.push_back(std::move(token));
}

}  // namespace

Result<TokenizerSettings> read_tokenizer_settings(const std::filesystem::path& folder) {
  TokenizerSettings settings;
  settings.folder = folder;
  SOTTO_ASSIGN(settings.tokenizer_config, read_optional_json_object(folder / "tokenizer_config.json"));
  SOTTO_ASSIGN(settings.special_tokens_map, read_optional_json_object(folder / "special_tokens_map.json"));
  SOTTO_ASSIGN(settings.added_tokens, read_optional_json_object(folder / "added_tokens.json"));
  SOTTO_ASSIGN(settings.config, read_optional_json_object(folder / "config.json"));
  return settings;
}

SpecialIds find_special_ids(const TokenizerSettings& settings, const SubwordVocabulary& vocabulary) {
  const auto find = [&](std::initializer_list<std::string_view> fields,
                        std::initializer_list<std::string_view> usual_names) {
    return find_special(settings, vocabulary, fields, usual_names);
  };
  SpecialIds ids;
  ids.bos = find({"cls_token", "bos_token"}, {"[CLS]", "<s>", "<|endoftext|>"});
  ids.eos = find({"sep_token", "eos_token"}, {"[SEP]", "</s>", "<|endoftext|>"});
  ids.mask = find({"mask_token"}, {"[MASK]", "<mask>"});
  ids.pad = find({"pad_token"}, {"[PAD]", "<pad>"});
  ids.unk = find({"unk_token"}, {"[UNK]", "<unk>"});
  return ids;
}

Result<void> add_listed_tokens(const TokenizerSettings& settings, SubwordVocabulary& vocabulary,
                               std::vector<AddedToken>& tokens) {
  const JsonView config = settings.tokenizer_view();
  if (config.find("added_tokens_decoder") != nullptr) {
    SOTTO_ASSIGN(const JsonView list, config.object("added_tokens_decoder"));
    for (const auto& [key, ignored] : list.json().items()) {
      SubwordId id = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
      if (error != std::errc() || end != key.data() + key.size())
        return list.wrong(fmt::format("'{}'", key), "is not an id");
      SOTTO_ASSIGN(const JsonView entry, list.object(key));
      SOTTO_ASSIGN(AddedToken token, parse_added_token(entry, id));
      SOTTO_TRY(vocabulary.add(token.content, token.id, list.place()));
      put(tokens, std::move(token));
    }
  }
  const JsonView added(settings.added_tokens, (settings.folder / "added_tokens.json").string());
  for (const auto& [content, ignored] : settings.added_tokens.items()) {
    SOTTO_ASSIGN(const SubwordId id, added.natural(content));
    if (vocabulary.find(content) == id) continue;
    SOTTO_TRY(vocabulary.add(content, id, added.place()));
    put(tokens, {.id = id, .content = content, .normalized = true});
  }
  return {};
}

}  // namespace sotto::lm
