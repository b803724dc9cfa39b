#include "pipeline/rewrite/model_phrases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"

namespace sotto::pipeline {

Result<std::shared_ptr<const ModelPhrases>> ModelPhrases::open(
    const Model& model, const std::optional<std::filesystem::path>& file) {
  if (!file && !model.has_phrases())
    return fail_parameter(
        "collocations", "",
        base::format_message("model '{}' carries no phrases; give a model that does, or {{phrases}} FILE",
                             model.name()));
  auto phrases = std::make_shared<ModelPhrases>();
  SOTTO_ASSIGN(phrases->table, PhraseTable::open(file.value_or(model.path())));
  // The model's file is opened a second time, and its name may refer to a different file by then.
  if (!file && phrases->table->digest() != model.digest())
    return fail(Errc::bad_format,
                fmt::format("{}: was replaced while it was opened; run it again", model.path().string()));
  phrases->allowed.resize(phrases->table->size());
  phrases->ids.resize(phrases->table->size());
  for (TokenId id = 0; id < model.size(); ++id) {
    if (model.word(id).find(kPhraseJoint) == std::string_view::npos) continue;
    const PhraseId phrase = phrases->table->find(model.word(id));
    if (phrase == kNoPhrase || phrases->allowed[phrase]) continue;
    phrases->allowed[phrase] = true;
    phrases->ids[phrase] = id;
    ++phrases->count;
  }
  if (phrases->count == 0)
    return fail_parameter(
        "collocations", "",
        fmt::format(
            "none of the {} phrases of {} is a word of model '{}'; give a model that was trained with them",
            phrases->table->size(), phrases->table->path().string(), model.name()));
  return phrases;
}

std::uint8_t count_words(std::string_view word) {
  return static_cast<std::uint8_t>(
      1 + std::min<std::ptrdiff_t>(254, std::count(word.begin(), word.end(), kPhraseJoint)));
}

}  // namespace sotto::pipeline
