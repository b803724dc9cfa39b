#include <array>

#include <fmt/format.h>

#include <sotto/policy.hpp>

#include "base/checked_value.hpp"

namespace sotto {
namespace {

constexpr std::array<const char*, 2> kStopwords = {"privatize", "keep"};
constexpr std::array<const char*, 3> kOov = {"bottom", "keep", "drop"};
constexpr std::array<const char*, 3> kNumbers = {"random", "keep", "drop"};
constexpr std::array<const char*, 2> kPunctuation = {"keep", "drop"};
constexpr std::array<const char*, 3> kCase = {"position", "keep", "lower"};

template <class Enum, std::size_t N>
Result<void> set_part(Enum& part, std::string_view name, std::string_view value,
                      const std::array<const char*, N>& names) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(name, value, {names.begin(), names.end()}));
  part = static_cast<Enum>(index);
  return {};
}

}  // namespace

Policy Policy::paper() {
  return {.stopwords = StopwordPolicy::keep, .oov = OovPolicy::keep, .numbers = NumberPolicy::keep};
}

Result<Policy> parse_policy(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("policy", name, {"strict", "paper"}));
  return index == 0 ? Policy::strict() : Policy::paper();
}

Result<void> set_policy_part(Policy& policy, std::string_view part, std::string_view value) {
  if (part == "stopwords") return set_part(policy.stopwords, part, value, kStopwords);
  if (part == "oov") return set_part(policy.oov, part, value, kOov);
  if (part == "numbers") return set_part(policy.numbers, part, value, kNumbers);
  if (part == "punctuation") return set_part(policy.punctuation, part, value, kPunctuation);
  if (part == "case") return set_part(policy.letter_case, part, value, kCase);
  return fail_parameter(part, value, "not a part of a policy");
}

const char* to_string(StopwordPolicy value) {
  return kStopwords[static_cast<std::size_t>(value)];
}
const char* to_string(OovPolicy value) {
  return kOov[static_cast<std::size_t>(value)];
}
const char* to_string(NumberPolicy value) {
  return kNumbers[static_cast<std::size_t>(value)];
}
const char* to_string(PunctuationPolicy value) {
  return kPunctuation[static_cast<std::size_t>(value)];
}
const char* to_string(CasePolicy value) {
  return kCase[static_cast<std::size_t>(value)];
}

}  // namespace sotto
