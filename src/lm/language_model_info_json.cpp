#include <sotto/language_models.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

nlohmann::ordered_json json_of(const CalibrationSummary& calibration) {
  return {{"bounds", {calibration.lowest, calibration.highest}},
          {"mean", calibration.mean},
          {"standard_deviation", calibration.deviation},
          {"texts", calibration.texts},
          {"logits", calibration.logits},
          {"text_sha256", calibration.text_digest}};
}

}  // namespace

std::string to_json(const LanguageModelInfo& info) {
  nlohmann::ordered_json json = {{"name", info.name},           {"path", info.folder.string()},
                                 {"digest", info.digest},       {"kind", info.kind},
                                 {"positions", info.positions}, {"logits", info.logits},
                                 {"outcomes", info.outcomes},   {"bounded", info.bounded}};
  if (info.bounded) json["bounds"] = {info.lowest, info.highest};
  if (!info.law.empty()) json["law"] = info.law;
  if (!info.modes.empty()) json["modes"] = info.modes;
  if (info.wander) json["wander"] = *info.wander;
  if (info.calibration) json["calibration"] = json_of(*info.calibration);
  return base::json_text(json);
}

std::string to_json(const SimilarityReport& report) {
  return base::json_text({{"model", report.model},
                          {"pairs", report.cosines.size()},
                          {"mean", report.mean()},
                          {"cosines", report.cosines}});
}

std::string to_json(const PerplexityReport& report) {
  std::vector<double> perplexities;
  for (const TextScore& score : report.scores) perplexities.push_back(score.perplexity());
  const TextScore total = report.total();
  return base::json_text({{"model", report.model},
                          {"lines", report.scores.size()},
                          {"tokens", total.tokens},
                          {"words", total.words},
                          {"log_probability", total.log_probability},
                          {"perplexity", total.perplexity()},
                          {"perplexity_per_word", total.perplexity_per_word()},
                          {"line_perplexities", perplexities}});
}

}  // namespace sotto
