#include <sotto/error_text.hpp>
#include <sotto/tune.hpp>

#include "audit/estimate_json.hpp"
#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TradeOff& point) {
  Json json = {{"mechanism", point.mechanism}, {"epsilon", point.epsilon},
               {"unit", point.unit},           {"parameters", point.parameters},
               {"model", point.model},         {"guarantee", to_string(point.guarantee)}};
  if (point.refusal) {
    json["refusal"] = describe(*point.refusal);
    return json;
  }
  json["exact"] = point.exact;
  json["inference_error"] = audit::json_of(point.inference_error);
  json["best_guess_error"] = audit::json_of(point.best_guess_error);
  json["utility_loss"] = audit::json_of(point.utility_loss);
  json["changed"] = audit::json_of(point.changed);
  return json;
}

}  // namespace

std::string to_json(const TuneReport& report) {
  Json points = Json::array();
  for (const TradeOff& point : report.points) points.push_back(json_of(point));
  const auto chosen = [&](const std::optional<std::size_t>& index) {
    return index ? json_of(report.points[*index]) : Json();
  };
  return base::json_text({{"models", report.models},
                          {"listed", report.listed},
                          {"covered", report.covered},
                          {"prior", report.prior},
                          {"outputs", report.outputs},
                          {"objective", kTuneObjectiveNames[static_cast<std::size_t>(report.objective)]},
                          {"max_loss", report.largest_loss},
                          {"draws", report.draws},
                          {"confidence", report.confidence},
                          {"blind_error", report.blind_error},
                          {"points", points},
                          {"frontier", report.frontier},
                          {"choice", chosen(report.choice)},
                          {"choice_is_certain", report.choice_is_certain},
                          {"certain_choice", chosen(report.certain_choice)},
                          {"seconds", report.seconds}});
}

}  // namespace sotto
