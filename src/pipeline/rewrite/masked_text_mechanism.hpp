// DP-MLM and DP-MLM-plus for texts: each word is drawn from a masked language model.
#pragma once

#include <memory>

#include "lm/masked_mechanism.hpp"
#include "pipeline/rewrite/display_words.hpp"
#include "pipeline/rewrite/language_text_mechanism.hpp"

namespace sotto::pipeline {

class MaskedTextMechanism final : public LanguageTextMechanism {
 public:
  static Result<std::shared_ptr<const MaskedTextMechanism>> make(const MechanismInfo& info,
                                                                 const PrivatizeOptions& options,
                                                                 const ParameterValues& parameters);

  /// Use make().
  explicit MaskedTextMechanism(const PrivatizeOptions& options)
      : LanguageTextMechanism(MechanismKind::masked, options) {}

  std::unique_ptr<TextRewriter> make_rewriter() const override;

  const std::shared_ptr<const lm::MaskedMechanism>& mechanism() const { return mechanism_; }
  const DisplayWords& display() const { return display_; }

 private:
  Result<ModelDraw> open_model(const MechanismInfo& info, const ParameterValues& parameters) override;
  Result<lm::MaskedExtras> open_extras(const ParameterValues& parameters, const lm::WordFiller& filler);

  std::shared_ptr<const lm::MaskedMechanism> mechanism_;
  DisplayWords display_;
};

}  // namespace sotto::pipeline
