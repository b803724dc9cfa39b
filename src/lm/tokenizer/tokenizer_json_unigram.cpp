// The Unigram model of tokenizer.json, with the steps around it.
#include <cmath>

#include <fmt/format.h>

#include "lm/tokenizer/tokenizer_json.hpp"
#include "lm/tokenizer/unigram_model.hpp"

namespace sotto::lm {
namespace {

/// Calls apply(step) for the step in `field`, or for each step of a Sequence, whose list is in `list`.
template <class Apply>
Result<void> for_each_step(const JsonView& root, std::string_view field, std::string_view list,
                           const Apply& apply) {
  if (root.find(field) == nullptr) return {};
  SOTTO_ASSIGN(const JsonView step, root.object(field));
  SOTTO_ASSIGN(const std::string type, step.string("type", ""));
  if (type != "Sequence") return apply(step);
  const Json* entries = step.find(list);
  if (entries == nullptr || !entries->is_array()) return step.wrong(list, "is not a list");
  for (const Json& entry : *entries) {
    if (!entry.is_object()) return step.wrong(list, "has an entry that is not an object");
    SOTTO_TRY(apply(JsonView(entry, fmt::format("{}: {}", step.place(), list))));
  }
  return {};
}

Result<void> apply_normalizer(const JsonView& step, UnigramSettings& settings) {
  SOTTO_ASSIGN(const std::string type, step.string("type", ""));
  // The model applies them in a fixed order.
  const bool late = settings.strip_left || settings.strip_right || settings.blank_runs;
  if (type == "Precompiled" && !settings.map && !late) {
    SOTTO_ASSIGN(const std::string map, step.string("precompiled_charsmap", ""));
    SOTTO_ASSIGN(settings.map, PrecompiledMap::parse(map, step.place() + ": precompiled_charsmap"));
    return {};
  }
  if (type == "Strip" && !late) {
    SOTTO_ASSIGN(settings.strip_left, step.boolean("strip_left", true));
    SOTTO_ASSIGN(settings.strip_right, step.boolean("strip_right", true));
    return {};
  }
  if (type == "Replace" && !settings.blank_runs) {
    SOTTO_ASSIGN(const JsonView pattern, step.object("pattern"));
    SOTTO_ASSIGN(const std::string regex, pattern.string("Regex", ""));
    if (regex != " {2,}") return step.wrong("pattern", "is not supported; only the regex ' {2,}' is");
    SOTTO_ASSIGN(settings.blank_runs, step.string("content", ""));
    return {};
  }
  return step.wrong("type", fmt::format("'{}' is not supported here; Unigram takes Precompiled, Strip and "
                                        "Replace, each once and in this order",
                                        type));
}

/// The scheme of a Metaspace step, which older files specify as add_prefix_space.
Result<PrependMark> prepend_scheme(const JsonView& step) {
  SOTTO_ASSIGN(const std::string mark, step.string("replacement", kMetaspace));
  if (mark != kMetaspace) return step.wrong("replacement", fmt::format("is not '{}'", kMetaspace));
  SOTTO_ASSIGN(const bool add_prefix, step.boolean("add_prefix_space", true));
  SOTTO_ASSIGN(const std::string scheme, step.string("prepend_scheme", add_prefix ? "always" : "never"));
  if (scheme == "always") return PrependMark::always;
  if (scheme == "first") return PrependMark::first;
  if (scheme == "never") return PrependMark::never;
  return step.wrong("prepend_scheme", fmt::format("'{}' is none of always, first, never", scheme));
}

Result<void> apply_metaspace(const JsonView& step, UnigramSettings& settings) {
  SOTTO_ASSIGN(settings.split, step.boolean("split", true));
  SOTTO_ASSIGN(settings.prepend, prepend_scheme(step));
  // Telling what comes first would require the text before normalization.
  if (settings.whitespace_split && settings.prepend == PrependMark::first)
    return step.wrong("prepend_scheme", "'first' is not supported after WhitespaceSplit");
  return {};
}

Result<void> read_decoder(const JsonView& root, UnigramSettings& settings) {
  settings.drop_first_mark = settings.prepend != PrependMark::never;
  if (root.find("decoder") == nullptr) return {};
  SOTTO_ASSIGN(const JsonView decoder, root.object("decoder"));
  SOTTO_ASSIGN(const std::string type, decoder.string("type", ""));
  if (type != "Metaspace")
    return decoder.wrong("type", fmt::format("'{}' is not supported; Unigram needs Metaspace", type));
  SOTTO_ASSIGN(const PrependMark scheme, prepend_scheme(decoder));
  settings.drop_first_mark = scheme != PrependMark::never;
  return {};
}

Result<std::vector<double>> read_scores(const JsonView& model, SubwordVocabulary& vocabulary) {
  const Json* vocab = model.find("vocab");
  if (vocab == nullptr || !vocab->is_array() || vocab->empty())
    return model.wrong("vocab", "is not a list of pairs");
  std::vector<double> scores;
  for (const Json& entry : *vocab) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      return model.wrong("vocab",
                         fmt::format("has an entry {} that is not a token and its score", scores.size()));
    const auto id = static_cast<SubwordId>(scores.size());
    SOTTO_TRY(vocabulary.add(entry[0].get_ref<const std::string&>(), id, model.place() + ": vocab"));
    scores.push_back(entry[1].get<double>());
    if (!std::isfinite(scores.back()))
      return model.wrong("vocab", fmt::format("has an entry {} whose score is not finite", id));
  }
  return scores;
}

Result<UnigramSettings> read_steps(const JsonView& root) {
  UnigramSettings settings;
  SOTTO_TRY(for_each_step(root, "normalizer", "normalizers",
                          [&](const JsonView& step) { return apply_normalizer(step, settings); }));
  bool has_metaspace = false;
  SOTTO_TRY(for_each_step(root, "pre_tokenizer", "pretokenizers", [&](const JsonView& step) -> Result<void> {
    SOTTO_ASSIGN(const std::string type, step.string("type", ""));
    if (type == "WhitespaceSplit" && !has_metaspace) {
      settings.whitespace_split = true;
      return {};
    }
    if (type != "Metaspace" || has_metaspace)
      return step.wrong("type", fmt::format("'{}' is not supported here; Unigram takes WhitespaceSplit and "
                                            "Metaspace, in this order",
                                            type));
    has_metaspace = true;
    return apply_metaspace(step, settings);
  }));
  if (!has_metaspace) return root.wrong("pre_tokenizer", "has no Metaspace, which Unigram needs");
  SOTTO_TRY(read_decoder(root, settings));
  return settings;
}

}  // namespace

Result<std::unique_ptr<const SubwordModel>> parse_unigram(const JsonView& root, const JsonView& model,
                                                          const std::vector<AddedToken>& added,
                                                          SubwordVocabulary& vocabulary) {
  SOTTO_ASSIGN(const bool byte_fallback, model.boolean("byte_fallback", false));
  if (byte_fallback) return model.wrong("byte_fallback", "is true, which is not supported");
  SOTTO_ASSIGN(UnigramSettings settings, read_steps(root));
  for (const AddedToken& token : added)
    if (token.special) settings.hidden.insert(token.id);
  SOTTO_ASSIGN(std::vector<double> scores, read_scores(model, vocabulary));
  SOTTO_ASSIGN(const std::uint32_t unknown, model.natural("unk_id"));
  if (unknown >= scores.size()) return model.wrong("unk_id", fmt::format("{} is not in vocab", unknown));
  return std::make_unique<const UnigramModel>(vocabulary, std::move(scores), unknown, std::move(settings));
}

}  // namespace sotto::lm
