#include "mechanisms/noise/vickrey_base.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/checked_value.hpp"

namespace sotto::mechanism {

TokenId VickreyMechanism::choose(TokenId in, std::span<const embed::Neighbour> nearest, double coin) const {
  std::array<TokenId, kMostCandidates> words{};
  std::array<double, kMostCandidates> distances{};
  std::size_t count = 0;
  for (const embed::Neighbour& neighbour : nearest) {
    if ((exclude_input_ && neighbour.row == in) || count == candidates_) continue;
    words[count] = neighbour.row;
    // The root gives distances; the published code uses the squares that its search returns.
    distances[count++] = std::sqrt(static_cast<double>(neighbour.squared_distance)) * space().model().scale();
  }
  SOTTO_CHECK(count > 0);
  return words[choose_rank(std::span(distances).first(count), coin)];
}

Guarantee VickreyMechanism::guarantee() const {
  if (!exclude_input_)
    return analytic_guarantee("Euclidean distance of the vectors",
                              "d), d their Euclidean distance in the model");
  return {.kind = GuaranteeKind::none,
          .unit = {},
          .scope = GuaranteeScope::all_inputs,
          .epsilon = epsilon(),
          .assumptions = {},
          .statement =
              "No differential privacy: with exclude_input=true a word never becomes itself but "
              "other words become it, so one output can rule out an input."};
}

double VickreyMechanism::distance(TokenId a, TokenId b) const {
  return exclude_input_ ? NoiseMechanism::distance(a, b) : space().distance(a, b);
}

ParameterInfo exclude_input_parameter() {
  return {"exclude_input", "false",
          "true: never give the input word back, as the paper's algorithm is printed, which voids the "
          "guarantee; false: choose among all words"};
}

Result<bool> parse_exclude_input(const MechanismRequest& request) {
  SOTTO_ASSIGN(
      const std::size_t choice,
      read_choice("parameters.exclude_input", request.parameters.at("exclude_input"), {"false", "true"}));
  if (choice == 1 && request.model->size() < 2)
    return fail_parameter("parameters.exclude_input", "true",
                          fmt::format("'true' is not allowed for '{}', which has a single word; give false",
                                      request.model->name()));
  return choice == 1;
}

}  // namespace sotto::mechanism
