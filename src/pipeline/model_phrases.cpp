#include "pipeline/model_phrases.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/safetensors.hpp"

namespace sotto {

Result<std::shared_ptr<const ModelPhrases>> ModelPhrases::open(
    const Model& model, const std::optional<std::filesystem::path>& file) {
  if (!file && !carries_phrases(model))
    return fail(Errc::invalid_argument,
                fmt::format("--collocations: model '{}' carries no phrases; give a model that does, or "
                            "--phrases FILE",
                            model.name()));
  auto phrases = std::make_shared<ModelPhrases>();
  SOTTO_ASSIGN(phrases->table, PhraseTable::open(file.value_or(model.path())));
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
    return fail(Errc::invalid_argument,
                fmt::format("--collocations: none of the {} phrases of {} is a word of model '{}'; give a "
                            "model that was trained with them",
                            phrases->table->size(), phrases->table->path().string(), model.name()));
  return phrases;
}

bool carries_phrases(const Model& model) {
  const auto file = MappedFile::open(model.path());
  if (!file) return false;
  const auto parsed = parse_safetensors(file->bytes(), model.name());
  return parsed && parsed->find("phrase_ids") != nullptr;
}

std::uint8_t count_words(std::string_view word) {
  return static_cast<std::uint8_t>(
      1 + std::min<std::ptrdiff_t>(254, std::count(word.begin(), word.end(), kPhraseJoint)));
}

}  // namespace sotto
