#include "pipeline/rewrite/text_mechanism.hpp"

#include <sotto/error_text.hpp>

#include "base/message.hpp"
#include "pipeline/rewrite/generated_text_mechanism.hpp"
#include "pipeline/rewrite/masked_text_mechanism.hpp"
#include "pipeline/rewrite/word_text_mechanism.hpp"

namespace sotto::pipeline {

Result<std::shared_ptr<const TextMechanism>> TextMechanism::make(const MechanismInfo& info,
                                                                 const PrivatizeOptions& options,
                                                                 const ParameterValues& parameters,
                                                                 std::shared_ptr<const PinnedWordMap> map) {
  switch (info.kind) {
    case MechanismKind::masked:
      return MaskedTextMechanism::make(info, options, parameters);
    case MechanismKind::generated:
      return GeneratedTextMechanism::make(info, options, parameters);
    case MechanismKind::word_by_word:
      break;
  }
  return WordTextMechanism::make(options, parameters, std::move(map));
}

Result<void> TextMechanism::open_word_forms() {
  if (options_.policy.letter_case != CasePolicy::natural) return {};
  auto forms = embed::shipped_word_forms();
  if (!forms)
    return fail_parameter(
        "case", "natural",
        base::format_message(
            "'natural' needs the table of word forms installed with the models; install it or "
            "give position: {}",
            describe(forms.error())),
        forms.error().code);
  word_forms_ = *forms;
  return {};
}

}  // namespace sotto::pipeline
