#include <sotto/explain.hpp>

#include "base/json.hpp"
#include "mechanisms/measured/attacker_json.hpp"
#include "pipeline/word_entry_json.hpp"

namespace sotto {
using namespace pipeline;

std::string to_json(const Explanation& e) {
  nlohmann::ordered_json top = nlohmann::ordered_json::array();
  for (const Outcome& outcome : e.top)
    top.push_back({{"word", outcome.word},
                   {"probability", outcome.probability},
                   {"standard_error", outcome.standard_error}});
  nlohmann::ordered_json json = {
      {"word", e.word},
      {"attacker", e.attacker ? mechanism::attacker_json(*e.attacker) : nlohmann::ordered_json()},
      {"in_vocabulary", e.in_vocabulary},
      {"model", e.model},
      {"exact", e.draws == 0},
      {"draws", e.draws},
      {"n_w", e.stays},
      {"s_w", e.distinct_in_100},
      {"words_for_95_percent", e.words_for_95_percent},
      {"guarantee", {{"kind", to_string(e.guarantee.kind)}, {"statement", e.guarantee.statement}}},
      {"top", top}};
  if (e.entry) json["enters_as"] = entry_json(*e.entry);
  if (e.place) json["place"] = {{"text", e.place->text}, {"word", e.place->word}};
  return base::json_text(json);
}

}  // namespace sotto
