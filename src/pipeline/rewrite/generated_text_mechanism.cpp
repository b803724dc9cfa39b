#include "pipeline/rewrite/generated_text_mechanism.hpp"

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "pipeline/rewrite/generation_rewriter.hpp"
#include "pipeline/rewrite/token_plan.hpp"

namespace sotto::pipeline {
namespace {

/// A text that is rewritten as a whole has no tokens that could be kept.
Result<void> check_whole_policy(const Policy& policy, const MechanismInfo& info) {
  const auto has_no_part = [&](std::string_view part, std::string_view value) {
    return fail_parameter(part, value,
                          fmt::format("'{}' is not allowed; {} rewrites the whole text", value, info.name));
  };
  if (policy.stopwords != StopwordPolicy::privatize)
    return has_no_part("stopwords", to_string(policy.stopwords));
  if (!replaces_outside(policy)) return has_no_part("oov", to_string(policy.oov));
  if (policy.numbers != NumberPolicy::random) return has_no_part("numbers", to_string(policy.numbers));
  if (policy.punctuation != PunctuationPolicy::keep)
    return has_no_part("punctuation", to_string(policy.punctuation));
  if (policy.letter_case == CasePolicy::keep) return has_no_part("case", to_string(policy.letter_case));
  return {};
}

Result<lm::GenerationOptions> generation_options(double epsilon, const ParameterValues& parameters) {
  lm::GenerationOptions options;
  options.epsilon = epsilon;
  const std::string& length = parameters.at("length");
  if (length == "input") return options;
  if (const auto number = read_integer("", length, 1, 1'000'000)) {
    options.length = *number;
    return options;
  }
  return base::not_allowed("parameters.length", length, "input or a number from 1 to 1000000");
}

}  // namespace

Result<std::shared_ptr<const GeneratedTextMechanism>> GeneratedTextMechanism::make(
    const MechanismInfo& info, const PrivatizeOptions& options, const ParameterValues& parameters) {
  auto made = std::make_shared<GeneratedTextMechanism>(options);
  SOTTO_TRY(made->open(info, parameters));
  return made;
}

std::unique_ptr<TextRewriter> GeneratedTextMechanism::make_rewriter() const {
  return std::make_unique<GenerationRewriter>(*this);
}

Result<ModelDraw> GeneratedTextMechanism::open_model(const MechanismInfo& info,
                                                     const ParameterValues& parameters) {
  SOTTO_TRY(check_whole_policy(options().policy, info));
  SOTTO_ASSIGN(const lm::GenerationOptions generation,
               generation_options(options().mechanism.epsilon, parameters));
  const std::string& prompt = parameters.at("prompt");
  SOTTO_ASSIGN(const auto writer, lm::TextWriter::open(folder_, options().language,
                                                       prompt == "auto" ? std::string_view() : prompt));
  // dp-prompt asks an encoder-decoder for its answer; otherwise a causal model continues the text.
  const bool wants_answers = info.name == "dp-prompt";
  if (writer->model().answers() != wants_answers)
    return fail_parameter(
        "model", options().mechanism.model,
        fmt::format("'{}' is not for {}; it needs {}", folder_.string(), info.name,
                    wants_answers ? "an encoder-decoder such as T5" : "a causal model such as GPT-2"));
  if (!calibration_) return no_bounds();
  SOTTO_ASSIGN(mechanism_, lm::GenerationMechanism::make(writer, generation, calibration_->bounds));
  return ModelDraw{mechanism_->guarantee(), mechanism_->bounds(), lm::LawKind::bounded,
                   writer->outcomes().size()};
}

}  // namespace sotto::pipeline
