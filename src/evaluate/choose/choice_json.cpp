#include <sotto/choose.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const TextFigures& figures) {
  return {{"changed", figures.changed},
          {"recovered", figures.recovered},
          {"recovered_content_words", figures.recovered_content},
          {"similarity", figures.similarity ? Json(*figures.similarity) : Json()},
          {"similarity_margin", figures.similarity ? Json(figures.similarity_margin) : Json()}};
}

Json json_of(const ChoicePoint& point) {
  return {{"epsilon", point.epsilon},
          {"public_text", json_of(point.public_text)},
          {"private_text", point.private_text ? json_of(*point.private_text) : Json()}};
}

/// A point of a curve, on the text that decides.
Json json_of_curve(const ChoicePoint& point, bool use_private) {
  const TextFigures& figures = use_private ? *point.private_text : point.public_text;
  return {{"epsilon", point.epsilon}, {"changed", figures.changed}, {"recovered", figures.recovered}};
}

Json json_of(const MechanismFindings& findings, bool use_private) {
  Json points = Json::array();
  for (const ChoicePoint& point : findings.points) points.push_back(json_of(point));
  Json curve = Json::array();
  for (const ChoicePoint& point : findings.curve) curve.push_back(json_of_curve(point, use_private));
  Json samples = Json::array();
  for (const SampleLine& line : findings.samples)
    samples.push_back({{"before", line.before}, {"after", line.after}});
  return {{"mechanism", findings.mechanism.name},
          {"parameters", findings.mechanism.parameters},
          {"model", findings.model},
          {"unit", findings.unit},
          {"guarantee", to_string(findings.guarantee)},
          {"exact", findings.exact},
          {"candidates", findings.candidates},
          {"private_candidates", findings.private_candidates},
          {"blind_success", findings.blind},
          {"useful_epsilon", {{"low", findings.low}, {"high", findings.high}}},
          {"at_limit", findings.at_limit ? Json(*findings.at_limit) : Json()},
          {"points", points},
          {"curve", curve},
          {"samples", samples}};
}

Json json_of(const MeasuredText& text) {
  return {{"source", text.source}, {"documents", text.documents}, {"documents_seen", text.documents_seen},
          {"whole", text.whole},   {"words", text.words},         {"unknown", text.unknown}};
}

/// What privatize_options_from_json takes.
Json options_json(const Choice& choice) {
  const MechanismSpec& spec = choice.mechanisms[*choice.recommended].mechanism;
  Json options = {{"mechanism", spec.name}, {"epsilon", spec.epsilon}};
  if (!spec.parameters.empty()) options["parameters"] = spec.parameters;
  if (!spec.model.empty()) options["model"] = spec.model;
  options["epsilon_chosen_on"] = to_string(choice.epsilon_chosen_on());
  return options;
}

}  // namespace

std::string to_json(const Choice& choice) {
  Json mechanisms = Json::array();
  for (const MechanismFindings& findings : choice.mechanisms)
    mechanisms.push_back(json_of(findings, choice.use_private));
  return base::json_text(
      {{"confidential", "has figures and lines of the private text, which no guarantee covers"},
       {"public_text", json_of(choice.public_text)},
       {"private_text", json_of(choice.private_text)},
       {"decided_by", to_string(choice.epsilon_chosen_on())},
       {"most_recovered", choice.most_recovered},
       {"encoder", choice.encoder.empty() ? Json() : Json(choice.encoder)},
       {"mechanisms", mechanisms},
       {"recommendation", choice.recommended ? options_json(choice) : Json()},
       {"reason", choice.reason},
       {"seconds", choice.seconds}});
}

}  // namespace sotto
