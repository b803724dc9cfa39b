// The field post_processor of tokenizer.json.
#include <fmt/format.h>

#include "lm/tokenizer/tokenizer_json.hpp"

namespace sotto::lm {
namespace {

/// ["[SEP]", 102]: how BertProcessing and RobertaProcessing name a token.
Result<SubwordId> named_token(const JsonView& step, std::string_view field,
                              const SubwordVocabulary& vocabulary) {
  const Json* value = step.find(field);
  if (value == nullptr || !value->is_array() || value->size() != 2 || !(*value)[1].is_number_unsigned())
    return step.wrong(field, "is not a pair of a token and its id");
  const auto id = (*value)[1].get<std::uint64_t>();
  if (id >= vocabulary.size()) return step.wrong(field, fmt::format("has the unknown id {}", id));
  return static_cast<SubwordId>(id);
}

/// The ids of a special token named in a template.
Result<std::vector<SubwordId>> template_ids(const JsonView& step, const std::string& name,
                                            const SubwordVocabulary& vocabulary) {
  SOTTO_ASSIGN(const JsonView specials, step.object("special_tokens"));
  SOTTO_ASSIGN(const JsonView special, specials.object(name));
  const Json* ids = special.find("ids");
  if (ids == nullptr || !ids->is_array()) return special.wrong("ids", "is not a list");
  std::vector<SubwordId> result;
  for (const Json& id : *ids) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= vocabulary.size())
      return special.wrong("ids", "has an unknown id");
    result.push_back(static_cast<SubwordId>(id.get<std::uint64_t>()));
  }
  return result;
}

Result<void> add_template_item(const JsonView& step, const JsonView& item,
                               const SubwordVocabulary& vocabulary, std::vector<TemplateItem>& items) {
  const bool is_text = item.find("Sequence") != nullptr;
  SOTTO_ASSIGN(const JsonView inner, item.object(is_text ? "Sequence" : "SpecialToken"));
  SOTTO_ASSIGN(const std::string name, inner.string("id", ""));
  SOTTO_ASSIGN(const std::uint32_t type_id, inner.natural("type_id"));
  if (type_id > 255) return inner.wrong("type_id", "is above 255");
  const auto type = static_cast<std::uint8_t>(type_id);
  if (is_text) {
    if (name != "A" && name != "B") return inner.wrong("id", "is neither A nor B");
    items.push_back({name == "A" ? TemplateItem::Kind::first : TemplateItem::Kind::second, 0, type});
    return {};
  }
  SOTTO_ASSIGN(const std::vector<SubwordId> ids, template_ids(step, name, vocabulary));
  for (const SubwordId id : ids) items.push_back({TemplateItem::Kind::token, id, type});
  return {};
}

Result<std::vector<TemplateItem>> template_items(const JsonView& step, std::string_view field,
                                                 const SubwordVocabulary& vocabulary) {
  const Json* list = step.find(field);
  if (list == nullptr || !list->is_array()) return step.wrong(field, "is not a list");
  std::vector<TemplateItem> items;
  for (const Json& entry : *list) {
    if (!entry.is_object()) return step.wrong(field, "has an entry that is not an object");
    const JsonView item(entry, fmt::format("{}: {}", step.place(), field));
    SOTTO_TRY(add_template_item(step, item, vocabulary, items));
  }
  return items;
}

/// Applies one step; ByteLevel only affects offsets.
Result<void> apply_step(const JsonView& step, const SubwordVocabulary& vocabulary, PostTemplate& result) {
  SOTTO_ASSIGN(const std::string type, step.string("type", ""));
  if (type == "ByteLevel") return {};
  if (type == "TemplateProcessing") {
    SOTTO_ASSIGN(result.single, template_items(step, "single", vocabulary));
    SOTTO_ASSIGN(result.pair, template_items(step, "pair", vocabulary));
    return {};
  }
  if (type != "BertProcessing" && type != "RobertaProcessing")
    return step.wrong("type", fmt::format("'{}' is not supported; TemplateProcessing, BertProcessing, "
                                          "RobertaProcessing and ByteLevel are",
                                          type));
  SOTTO_ASSIGN(const SubwordId cls, named_token(step, "cls", vocabulary));
  SOTTO_ASSIGN(const SubwordId sep, named_token(step, "sep", vocabulary));
  result = type == "BertProcessing" ? bert_template(cls, sep) : roberta_template(cls, sep);
  return {};
}

}  // namespace

Result<PostTemplate> parse_post_processor(const JsonView& root, const SubwordVocabulary& vocabulary) {
  PostTemplate result;
  if (root.find("post_processor") == nullptr) return result;
  SOTTO_ASSIGN(const JsonView step, root.object("post_processor"));
  const Json* processors = step.find("processors");
  if (processors == nullptr) {
    SOTTO_TRY(apply_step(step, vocabulary, result));
    return result;
  }
  if (!processors->is_array()) return step.wrong("processors", "is not a list");
  for (const Json& entry : *processors) {
    if (!entry.is_object()) return step.wrong("processors", "has an entry that is not an object");
    SOTTO_TRY(apply_step(JsonView(entry, step.place() + ": processors"), vocabulary, result));
  }
  return result;
}

}  // namespace sotto::lm
