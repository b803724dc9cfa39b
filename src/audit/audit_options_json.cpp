#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sotto/options_json.hpp>

#include "pipeline/options_parts.hpp"

namespace sotto {
using namespace pipeline;
namespace {

using base::OptionsReader;

/// An array of pairs of texts.
void add_text_pairs(OptionsReader& reader, std::vector<std::pair<std::string, std::string>>& texts) {
  reader.member("texts", [&texts](const std::string& name, const OptionsReader::Json& value) {
    return OptionsReader::each_of(
        name, value, base::kMostValues,
        [&](const std::string& one, const OptionsReader::Json& pair) -> Result<void> {
          if (!pair.is_array() || pair.size() != 2)
            return OptionsReader::wrong_type(one, "an array of two texts");
          SOTTO_ASSIGN(std::string first, OptionsReader::text_of(one, pair[0]));
          SOTTO_ASSIGN(std::string second, OptionsReader::text_of(one, pair[1]));
          texts.emplace_back(std::move(first), std::move(second));
          return {};
        });
  });
}

/// Where the draws pass; a command is named by itself.
Result<AuditPath> parse_audit_path(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("through", name, kAuditPathNames));
  return static_cast<AuditPath>(index);
}

void add_policy(OptionsReader& reader, std::string& policy, std::string& oov) {
  reader.text("policy", policy);
  add_policy_part(reader, "oov", [&oov](std::string_view, const std::string& value) { oov = value; });
}

Result<void> set_command(const std::optional<AuditPath>& through, BlackBoxOptions& options) {
  options.path = through.value_or(AuditPath::mechanism);
  if (options.command.empty()) return {};
  if (options.path == AuditPath::document || !options.mechanism.parameters.empty())
    return fail_parameter(
        "command", "",
        base::format_message("cannot be given together with {{through}} document or {{parameters}}; it "
                             "replaces the mechanism"));
  options.path = AuditPath::command;
  return {};
}

}  // namespace

Result<ExactAuditOptions> exact_audit_options_from_json(std::string_view json) {
  ExactAuditOptions options;
  OptionsReader reader;
  add_mechanism(reader, options.certify.mechanism);
  reader.number("epsilon", options.certify.mechanism.epsilon);
  reader.integer("sample", options.certify.sample, 2, kLargestSample);
  reader.named("target", options.target, parse_target);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<BlackBoxOptions> black_box_options_from_json(std::string_view json) {
  BlackBoxOptions options;
  std::optional<AuditPath> through;
  std::string policy = "strict", oov;
  OptionsReader reader;
  add_mechanism(reader, options.mechanism);
  reader.number("epsilon", options.mechanism.epsilon);
  reader.named("through", through, parse_audit_path);
  add_policy(reader, policy, oov);
  reader.text("command", options.command);
  reader.number("timeout", options.timeout);
  reader.choice("metric", options.metric, kClaimMetricNames);
  reader.integer("draws", options.draws);
  reader.integer("pairs", options.pairs);
  reader.integer("runs", options.runs);
  reader.number("confidence", options.confidence);
  reader.flag("vocabulary_only", options.vocabulary_only);
  add_text_pairs(reader, options.texts);
  reader.integer("seed", options.seed);
  SOTTO_TRY(reader.read(json));
  SOTTO_ASSIGN(options.policy, parse_policy(policy));
  if (!oov.empty()) SOTTO_TRY(set_policy_part(options.policy, "oov", oov));
  SOTTO_TRY(set_command(through, options));
  return options;
}

Result<AttackOptions> attack_options_from_json(std::string_view json) {
  AttackOptions options;
  OptionsReader reader;
  add_mechanism(reader, options.mechanism);
  reader.number("epsilon", options.mechanism.epsilon);
  reader.texts("attacks", options.attacks);
  reader.integer("words", options.words);
  reader.choice("prior", options.prior, kPriorNames);
  reader.integer("neighbours", options.neighbours);
  reader.integer("draws", options.draws);
  reader.integer("trials", options.trials);
  reader.number("confidence", options.confidence);
  reader.integer("seed", options.seed);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<InputGuessOptions> input_guess_options_from_json(std::string_view json) {
  InputGuessOptions options;
  OptionsReader reader;
  add_mechanism(reader, options.mechanism);
  reader.number("epsilon", options.mechanism.epsilon);
  reader.choice("prior", options.prior, kPriorNames);
  reader.integer("guesses", options.guesses);
  reader.integer("neighbours", options.neighbours);
  reader.integer("draws", options.draws);
  reader.integer("seed", options.seed);
  SOTTO_TRY(reader.read(json));
  return options;
}

Result<MaskInferenceOptions> mask_inference_options_from_json(std::string_view json) {
  MaskInferenceOptions options;
  OptionsReader reader;
  reader.text("model", options.model);
  reader.integer("neighbours", options.candidates);
  reader.number("confidence", options.confidence);
  add_language_model(reader, options.resources);
  add_threads(reader, options.resources.threads);
  SOTTO_TRY(reader.read(json));
  return options;
}

}  // namespace sotto
