#include "service/stricter.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sotto::server {
namespace {

struct Step {
  std::string_view part;
  std::string_view from;
  std::string_view to;
};

// What is kept is revealed; whatever else becomes of it reveals less. What is dropped shows that it was
// there, what is replaced lets a little of itself through: neither is stricter than the other. Nor is bottom
// than nearest, which put the same words at different distances.
constexpr std::array kSteps = {
    Step{"stopwords", "keep", "privatize"},
    Step{"oov", "keep", "nearest"},
    Step{"oov", "keep", "bottom"},
    Step{"numbers", "keep", "random"},
    Step{"numbers", "keep", "drop"},
    Step{"punctuation", "keep", "drop"},
    // The letter case of the input matters to `keep` alone, so the others are as strict as each other.
    Step{"case", "keep", "natural"},
    Step{"case", "keep", "position"},
    Step{"case", "keep", "lower"},
    Step{"case", "natural", "position"},
    Step{"case", "natural", "lower"},
    Step{"case", "position", "natural"},
    Step{"case", "position", "lower"},
    Step{"case", "lower", "natural"},
    Step{"case", "lower", "position"},
    // An article that agrees does so with the output.
    Step{"articles", "agree", "keep"},
    Step{"articles", "keep", "agree"},
};

std::string_view value_of(const Policy& policy, std::string_view part) {
  if (part == "stopwords") return to_string(policy.stopwords);
  if (part == "oov") return to_string(policy.oov);
  if (part == "numbers") return to_string(policy.numbers);
  if (part == "punctuation") return to_string(policy.punctuation);
  if (part == "case") return to_string(policy.letter_case);
  return to_string(policy.articles);
}

}  // namespace

bool is_as_strict(std::string_view part, std::string_view current, std::string_view wanted) {
  if (current == wanted) return true;
  return std::any_of(kSteps.begin(), kSteps.end(), [&](const Step& step) {
    return step.part == part && step.from == current && step.to == wanted;
  });
}

Outcome<Policy> with_stricter_part(const Policy& policy, std::string_view part, std::string_view wanted) {
  Policy changed = policy;
  SOTTO_TRY(set_policy_part(changed, part, wanted));
  const std::string_view current = value_of(policy, part);
  if (is_as_strict(part, current, wanted)) return changed;
  return unprocessable(
      fmt::format("policy.{} is '{}' in this profile; '{}' is not stricter", part, current, wanted),
      "policy");
}

}  // namespace sotto::server
