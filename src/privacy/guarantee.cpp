#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <sotto/guarantee.hpp>

namespace sotto {
namespace {

constexpr int kReadableDigits = 6;

/// `number` is digits with a point among them.
std::string shorter_number(std::string_view number) {
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  const std::size_t first = number.find_first_of("123456789");
  if (first == std::string_view::npos || !std::isnormal(value)) return std::string(number);
  const auto digits = std::count_if(number.begin() + static_cast<std::ptrdiff_t>(first), number.end(),
                                    [](char c) { return c != '.'; });
  if (digits <= kReadableDigits) return std::string(number);
  const double unit = std::pow(10, std::floor(std::log10(value)) + 1 - kReadableDigits);
  return fmt::format("{:.{}g}", std::ceil(value / unit) * unit, kReadableDigits);
}

}  // namespace

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

std::string readable_metric(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  std::string readable;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_of(kDigits), text.size());
    readable += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t whole = std::min(text.find_first_not_of(kDigits), text.size());
    std::size_t end = whole;
    if (whole + 1 < text.size() && text[whole] == '.')
      end = std::min(text.find_first_not_of(kDigits, whole + 1), text.size());
    readable += end > whole + 1 ? shorter_number(text.substr(0, end)) : std::string(text.substr(0, end));
    text.remove_prefix(end);
  }
  return readable;
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
