#include <cmath>

#include <sotto/explain.hpp>

#include "base/json.hpp"
#include "pipeline/word_entry_json.hpp"

namespace sotto {
namespace {

/// JSON has no infinity.
nlohmann::ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json word_json(const std::string& word, bool in_vocabulary,
                                 const std::optional<WordEntry>& entry) {
  nlohmann::ordered_json json = {{"word", word}, {"in_vocabulary", in_vocabulary}};
  if (entry) json["enters_as"] = pipeline::entry_json(*entry);
  return json;
}

nlohmann::ordered_json pair_json(const WordPair& pair) {
  nlohmann::ordered_json outcomes = nlohmann::ordered_json::array();
  for (const PairedOutcome& outcome : pair.outcomes)
    outcomes.push_back({{"word", outcome.word}, {"first", outcome.first}, {"second", outcome.second}});
  return {{"epsilon", pair.epsilon},
          {"distance", finite_or_null(pair.distance)},
          {"largest_distance", finite_or_null(pair.largest_distance)},
          {"promised_loss", finite_or_null(pair.promised_loss)},
          {"promised_factor", finite_or_null(std::exp(pair.promised_loss))},
          {"exact", pair.draws == 0},
          {"draws", pair.draws},
          {"observed_loss", finite_or_null(pair.observed_loss)},
          {"observed_factor", finite_or_null(std::exp(pair.observed_loss))},
          {"telling_output", pair.telling_output},
          {"outcomes", outcomes}};
}

}  // namespace

std::string to_json(const WordComparison& c) {
  nlohmann::ordered_json json = {
      {"first", word_json(c.first, c.first_in_vocabulary, c.first_entry)},
      {"second", word_json(c.second, c.second_in_vocabulary, c.second_entry)},
      {"mechanism", c.mechanism},
      {"model", c.model},
      {"metric", c.guarantee.unit.metric},
      {"guarantee", {{"kind", to_string(c.guarantee.kind)}, {"statement", c.guarantee.statement}}}};
  if (c.place) json["place"] = {{"text", c.place->text}, {"word", c.place->word}};
  if (c.typical)
    json["typical_distances"] = {{"nearest_neighbour", finite_or_null(c.typical->nearest_neighbour)},
                                 {"random_pair", finite_or_null(c.typical->random_pair)},
                                 {"words", c.typical->words},
                                 {"pairs", c.typical->pairs}};
  json["pairs"] = nlohmann::ordered_json::array();
  for (const WordPair& pair : c.pairs) json["pairs"].push_back(pair_json(pair));
  return base::json_text(json);
}

}  // namespace sotto
