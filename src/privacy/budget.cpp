#include <numeric>

#include <fmt/format.h>

#include <sotto/budget.hpp>

#include "base/checked_value.hpp"

namespace sotto {
namespace {

// Weights farther apart give shares that no mechanism honours.
constexpr double kLeastWeight = 1e-6;

// Reduces a share by more than the roundings of one share and of adding up all of them can add to it.
double safely_below(double value, std::uint64_t terms) {
  return value * (1 - (static_cast<double>(terms) + 4) * 0x1p-52);
}

std::vector<double> shares_by_position(double epsilon, std::uint64_t tokens, const PositionProfile& profile) {
  std::vector<double> weights(tokens);
  for (std::uint64_t i = 0; i < tokens; ++i) weights[i] = profile[i * profile.size() / tokens];
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight = safely_below(epsilon * weight / sum, tokens);
  return weights;
}

}  // namespace

const char* to_string(BudgetStrategy strategy) {
  return kBudgetNames[static_cast<std::size_t>(strategy)].data();
}

Result<BudgetStrategy> parse_budget_strategy(std::string_view name) {
  for (const std::string_view refused : {"information", "part-of-speech", "rarity"})
    if (name == refused)
      return fail_parameter(
          "budget", name,
          base::format_message(
              "'{}' would set epsilon from the private words, and epsilon would reveal something about them; "
              "give public weights with {{budget}} positions {{profile}}",
              name));
  if (name == "S1" || name == "S3" || name == "S4") return BudgetStrategy::even;
  if (name == "S2") return BudgetStrategy::words;
  SOTTO_ASSIGN(const std::size_t index, read_choice("budget", name, kBudgetNames));
  return static_cast<BudgetStrategy>(index);
}

Result<PositionProfile> parse_position_profile(std::string_view text) {
  PositionProfile profile;
  while (true) {
    const std::size_t comma = text.find(',');
    SOTTO_ASSIGN(const double weight,
                 read_number("profile", text.substr(0, comma), kLeastWeight, 1 / kLeastWeight));
    profile.push_back(weight);
    if (comma == text.npos) return profile;
    text.remove_prefix(comma + 1);
  }
}

Result<void> check_position_profile(const PositionProfile& profile) {
  for (const double weight : profile)
    if (!(weight >= kLeastWeight && weight <= 1 / kLeastWeight))
      return base::not_allowed("profile", weight, "numbers from 1e-06 to 1e+06");
  return {};
}

Result<std::vector<double>> share_budget(BudgetStrategy strategy, double epsilon, const DocumentShape& shape,
                                         const PositionProfile& profile) {
  SOTTO_TRY(check_epsilon("epsilon", epsilon));
  if (shape.words < shape.tokens)
    return fail(Errc::invalid_argument, fmt::format("{} tokens cannot consist of {} words; give at least as "
                                                    "many words as tokens",
                                                    shape.tokens, shape.words));
  if ((strategy == BudgetStrategy::positions) == profile.empty())
    return fail_parameter("profile", "",
                          profile.empty()
                              ? base::format_message("missing; {{budget}} positions needs public weights")
                              : base::format_message("only {{budget}} positions takes one"));
  SOTTO_TRY(check_position_profile(profile));
  if (shape.tokens == 0) return std::vector<double>{};
  if (strategy == BudgetStrategy::positions) return shares_by_position(epsilon, shape.tokens, profile);
  double share = epsilon;
  if (strategy == BudgetStrategy::even)
    share = safely_below(epsilon / static_cast<double>(shape.tokens), shape.tokens);
  if (strategy == BudgetStrategy::words)
    share = safely_below(epsilon / static_cast<double>(shape.words), shape.words);
  return std::vector<double>(shape.tokens, share);
}

}  // namespace sotto
