// DP-Paraphrase and DP-Prompt for texts: a language model writes a new text.
#pragma once

#include <memory>

#include "lm/generation.hpp"
#include "pipeline/rewrite/language_text_mechanism.hpp"

namespace sotto::pipeline {

class GeneratedTextMechanism final : public LanguageTextMechanism {
 public:
  static Result<std::shared_ptr<const GeneratedTextMechanism>> make(const MechanismInfo& info,
                                                                    const PrivatizeOptions& options,
                                                                    const ParameterValues& parameters);

  /// Use make().
  explicit GeneratedTextMechanism(const PrivatizeOptions& options)
      : LanguageTextMechanism(MechanismKind::generated, options) {}

  std::unique_ptr<TextRewriter> make_rewriter() const override;

  const lm::GenerationMechanism& mechanism() const { return *mechanism_; }

 private:
  Result<ModelDraw> open_model(const MechanismInfo& info, const ParameterValues& parameters) override;

  std::shared_ptr<const lm::GenerationMechanism> mechanism_;
};

}  // namespace sotto::pipeline
