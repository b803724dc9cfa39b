#include <span>

#include <sotto/policy.hpp>

#include "base/checked_value.hpp"

namespace sotto {
namespace {

template <class Enum>
Result<void> set_part(Enum& part, std::string_view name, std::string_view value,
                      std::span<const std::string_view> names) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(name, value, names));
  part = static_cast<Enum>(index);
  return {};
}

}  // namespace

Policy Policy::paper() {
  return {.stopwords = StopwordPolicy::keep,
          .oov = OovPolicy::keep,
          .numbers = NumberPolicy::keep,
          .letter_case = CasePolicy::position,
          .articles = ArticlePolicy::keep};
}

Result<Policy> parse_policy(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("policy", name, kPolicyNames));
  return index == 0 ? Policy::strict() : Policy::paper();
}

Result<void> set_policy_part(Policy& policy, std::string_view part, std::string_view value) {
  if (part == "stopwords") return set_part(policy.stopwords, part, value, kStopwordPolicyNames);
  if (part == "oov") return set_part(policy.oov, part, value, kOovPolicyNames);
  if (part == "numbers") return set_part(policy.numbers, part, value, kNumberPolicyNames);
  if (part == "punctuation") return set_part(policy.punctuation, part, value, kPunctuationPolicyNames);
  if (part == "case") return set_part(policy.letter_case, part, value, kCasePolicyNames);
  if (part == "articles") return set_part(policy.articles, part, value, kArticlePolicyNames);
  return fail_parameter(part, value, "not a part of a policy");
}

const char* to_string(StopwordPolicy value) {
  return kStopwordPolicyNames[static_cast<std::size_t>(value)].data();
}
const char* to_string(OovPolicy value) {
  return kOovPolicyNames[static_cast<std::size_t>(value)].data();
}
const char* to_string(NumberPolicy value) {
  return kNumberPolicyNames[static_cast<std::size_t>(value)].data();
}
const char* to_string(PunctuationPolicy value) {
  return kPunctuationPolicyNames[static_cast<std::size_t>(value)].data();
}
const char* to_string(CasePolicy value) {
  return kCasePolicyNames[static_cast<std::size_t>(value)].data();
}
const char* to_string(ArticlePolicy value) {
  return kArticlePolicyNames[static_cast<std::size_t>(value)].data();
}

}  // namespace sotto
