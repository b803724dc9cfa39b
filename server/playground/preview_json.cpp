#include "playground/preview_json.hpp"

#include <nlohmann/json.hpp>

#include <sotto/budget_plan.hpp>

namespace sotto::server {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(MechanismKind kind) {
  switch (kind) {
    case MechanismKind::word_by_word:
      return "word by word";
    case MechanismKind::masked:
      return "masked";
    case MechanismKind::generated:
      return "generated";
  }
  return "";
}

const char* class_name(TokenClass token_class) {
  switch (token_class) {
    case TokenClass::word:
      return "word";
    case TokenClass::number:
      return "number";
    case TokenClass::punctuation:
      return "punctuation";
    case TokenClass::other:
      return "other";
  }
  return "";
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json token_json(const PreviewToken& token) {
  return {{"begin", token.place.begin},
          {"end", token.place.end},
          {"kind", class_name(token.place.token_class)},
          {"in", std::string(token.place.text)},
          {"clear", token.clear},
          {"sentence", token.place.sentence}};
}

Json guarantee_json(const Guarantee& guarantee) {
  return {{"kind", to_string(guarantee.kind)},
          {"scope", to_string(guarantee.scope)},
          {"unit", unit_name(guarantee.unit)},
          {"pure", guarantee.unit.is_pure()},
          {"metric", readable_metric(guarantee.unit.metric)},
          {"epsilon", guarantee.epsilon},
          {"additive", guarantee.additive},
          {"statement", readable_metric(guarantee.statement)}};
}

Json attacker_json(const std::optional<AttackerSuccess>& attacker) {
  if (!attacker) return {};
  return {{"success", attacker->success},
          {"blind_success", attacker->blind},
          {"candidates", attacker->candidates}};
}

Json setting_json(const PreviewSetting& setting) {
  Json loss;
  if (setting.loss)
    loss = {{"token", setting.guarantee.epsilon},
            {"sentence", optional_json(setting.sentence_loss)},
            {"document", setting.loss->epsilon},
            {"additive", setting.loss->additive}};
  return {{"epsilon", setting.epsilon},
          {"text", setting.text},
          {"aligned", !setting.outputs.empty()},
          {"out", setting.outputs},
          {"changed", setting.changed},
          {"kept", optional_json(setting.kept)},
          {"similarity", optional_json(setting.similarity)},
          {"draws", setting.draws},
          {"guarantee", guarantee_json(setting.guarantee)},
          {"loss", loss},
          {"attacker", attacker_json(setting.attacker)}};
}

}  // namespace

std::string to_json(const Preview& preview) {
  Json json = {{"preview", "not private: the noise is public"},
               {"mechanism", preview.mechanism.name},
               {"model", preview.mechanism.model},
               {"parameters", preview.mechanism.parameters},
               {"kind", kind_name(preview.kind)},
               {"offsets", "UTF-16 code units"},
               {"tokens", Json::array()},
               {"settings", Json::array()},
               {"pending", preview.pending},
               {"typical_distances", nullptr}};
  for (const PreviewToken& token : preview.tokens) json["tokens"].push_back(token_json(token));
  for (const PreviewSetting& setting : preview.settings) json["settings"].push_back(setting_json(setting));
  if (preview.typical)
    json["typical_distances"] = {{"nearest_neighbour", preview.typical->nearest_neighbour},
                                 {"random_pair", preview.typical->random_pair}};
  return json.dump();
}

}  // namespace sotto::server
