#include <sotto/guarantee.hpp>

namespace sotto {

const char* to_string(GuaranteeKind kind) {
  switch (kind) {
    case GuaranteeKind::certified:
      return "certified";
    case GuaranteeKind::analytic:
      return "analytic";
    case GuaranteeKind::none:
      return "none";
  }
  return "none";
}

const char* to_string(GuaranteeScope scope) {
  switch (scope) {
    case GuaranteeScope::all_inputs:
      return "all inputs";
    case GuaranteeScope::group:
      return "inside a group";
    case GuaranteeScope::sensitive_outputs:
      return "sensitive outputs";
    case GuaranteeScope::privatized_words:
      return "privatized words";
  }
  return "all inputs";
}

const char* to_string(SharedTrait trait) {
  switch (trait) {
    case SharedTrait::token_classes:
      return "token classes";
    case SharedTrait::punctuation:
      return "punctuation";
    case SharedTrait::whitespace:
      return "whitespace";
    case SharedTrait::number_shapes:
      return "digit counts and separators of numbers";
    case SharedTrait::segmentation:
      return "segmentation into tokens";
    case SharedTrait::word_count:
      return "number of words";
    case SharedTrait::model_tokens:
      return "number of model tokens";
    case SharedTrait::kept_words:
      return "kept words";
    case SharedTrait::dropped_words:
      return "places of dropped words";
    case SharedTrait::kept_numbers:
      return "kept numbers";
    case SharedTrait::letter_case:
      return "letter case";
  }
  return "";
}

std::string join(const std::vector<SharedTrait>& traits) {
  std::string text;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (i > 0) text += i + 1 < traits.size() ? ", " : " and ";
    text += to_string(traits[i]);
  }
  return text;
}

}  // namespace sotto
