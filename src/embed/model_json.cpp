#include <sotto/model.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Model& model) {
  Json json = {{"name", model.name()},
               {"path", model.path().string()},
               {"digest", model.digest()},
               {"sha256", model.stored_sha256()},
               {"words", model.size()},
               {"dimension", model.dimension()},
               {"bits", model.bits()},
               {"lists", model.lists().size()},
               {"counts", !model.counts().empty()},
               {"metadata", Json::object()}};
  for (const auto& [key, value] : model.metadata()) json["metadata"][key] = value;
  return json;
}

Json json_of(const EpsilonRange& range) {
  return {{"low", range.low}, {"high", range.high}};
}

Json json_of(const TypicalDistances& typical) {
  return {{"sample", typical.sample},
          {"nearest", typical.nearest},
          {"random_pair", typical.random_pair},
          {"epsilon", {{"selection", json_of(typical.selection)}, {"noise", json_of(typical.noise)}}}};
}

}  // namespace

std::string to_json(const Model& model, const ModelDetails& details) {
  Json json = json_of(model);
  if (details.verified) json["verified"] = true;
  if (details.phrases) {
    json["bigrams"] = details.phrases->bigrams;
    json["trigrams"] = details.phrases->trigrams;
  }
  return base::json_text(json);
}

std::string to_json(std::span<const std::shared_ptr<const Model>> models,
                    std::span<const ListedLanguageModel> language_models) {
  Json json = Json::array();
  for (const auto& model : models) json.push_back(json_of(*model));
  for (const ListedLanguageModel& model : language_models)
    json.push_back({{"name", model.name}, {"path", model.folder.string()}, {"kind", model.kind}});
  return base::json_text(json);
}

std::string list_set_json(const Model& lists) {
  return base::json_text({{"path", lists.path().string()},
                          {"words", lists.size()},
                          {"lists", lists.lists().size()},
                          {"digest", lists.digest()},
                          {"sha256", lists.stored_sha256()}});
}

std::string neighbours_json(const Model& model, std::span<const TokenId> words,
                            std::span<const std::vector<NearWord>> near) {
  Json json = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i) {
    Json neighbours = Json::array();
    for (const NearWord& neighbour : near[i])
      neighbours.push_back({{"word", model.word(neighbour.id)},
                            {"distance", neighbour.distance},
                            {"cosine", neighbour.cosine}});
    json.push_back({{"word", model.word(words[i])}, {"neighbours", neighbours}});
  }
  return base::json_text(json);
}

std::string to_json(const ImportReport& report) {
  return base::json_text({{"format", report.format},
                          {"words", report.words},
                          {"dimension", report.dimension},
                          {"missing", report.missing},
                          {"skipped", report.skipped},
                          {"non_words", report.non_words},
                          {"scale", report.scale},
                          {"largest_error", report.largest_error},
                          {"sha256", report.sha256},
                          {"typical_distances", report.distances ? json_of(*report.distances) : Json()}});
}

}  // namespace sotto
