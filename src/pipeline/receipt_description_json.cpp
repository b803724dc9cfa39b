#include <sotto/receipt_description.hpp>

#include "base/json.hpp"

namespace sotto {

std::string to_json(const ReceiptDescription& description) {
  nlohmann::ordered_json json = {{"title", description.title},
                                 {"promises", description.promises},
                                 {"promise", description.promise},
                                 {"examples", description.examples}};
  if (description.attacker) json["attacker"] = *description.attacker;
  json["sections"] = nlohmann::ordered_json::array();
  for (const DescribedSection& section : description.sections)
    json["sections"].push_back(
        {{"title", section.title}, {"paragraphs", section.paragraphs}, {"items", section.items}});
  return base::json_text(json);
}

}  // namespace sotto
