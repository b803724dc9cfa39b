#include <cmath>

#include <sotto/black_box.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity.
Json number_or_infinite(double value) {
  return std::isfinite(value) ? Json(value) : Json("infinite");
}

Json json_of(const PairFinding& pair) {
  return {{"first", pair.first},
          {"second", pair.second},
          {"chosen_as", pair.chosen_as},
          {"distance", pair.distance},
          {"claimed_loss", pair.allowed},
          {"loss_lower_bound", pair.loss_lower},
          {"claimed", pair.claimed},
          {"differ_in", pair.differ_in},
          {"refutes", pair.refutes()},
          {"event", pair.event},
          {"event_size", pair.event_size},
          {"draws", pair.draws},
          {"first_count", pair.first_count},
          {"second_count", pair.second_count},
          {"first_probability_lower_bound", pair.first_lower},
          {"second_probability_upper_bound", pair.second_upper}};
}

Json json_of(const IndependenceFinding& finding) {
  return {{"name", finding.name},
          {"made", finding.made},
          {"refutes", finding.refutes},
          {"detail", finding.detail}};
}

template <class Finding>
Json all_json(const std::vector<Finding>& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings) json.push_back(json_of(finding));
  return json;
}

}  // namespace

std::string to_json(const BlackBoxReport& r) {
  return base::json_text({{"method", "black-box"},
                          {"audited", r.audited},
                          {"model", r.model},
                          {"claim", {{"epsilon", r.epsilon}, {"metric", r.metric}, {"own", r.own_claim}}},
                          {"verdict", r.refuted() ? "refuted" : "failed to falsify"},
                          {"refuted_by_loss", r.losses_refute()},
                          {"refuted_by_dependence", r.independence_refutes()},
                          {"epsilon_lower_bound", number_or_infinite(r.epsilon_lower)},
                          {"confidence", r.confidence},
                          {"draws_a_word", r.draws},
                          {"draws_in_all", r.draws_in_all},
                          {"tests", r.tests},
                          {"largest_refutable_loss", r.largest_refutable},
                          {"tests_out_of_reach", r.pairs_out_of_reach},
                          {"seconds", r.seconds},
                          {"independence", all_json(r.independence)},
                          {"pairs", all_json(r.pairs)}});
}

}  // namespace sotto
