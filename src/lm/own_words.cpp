#include "lm/own_words.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

template <class Number, class Allowed>
void check_elements(const StoredTensor& tensor, const std::vector<Number>& elements, const Allowed& allowed,
                    const std::string& expected) {
  const auto wrong = std::find_if_not(elements.begin(), elements.end(), allowed);
  if (wrong == elements.end()) return;
  refuse(Errc::bad_format, fmt::format("{}: element {} is {}; it must be {}", tensor.where,
                                       wrong - elements.begin(), *wrong, expected));
}

}  // namespace

OwnWords::OwnWords(const CheckpointFiles& files, const BoundedSizes& sizes) : knots_(sizes.wander_knots) {
  if (knots_.empty()) return;
  const std::vector<std::int64_t> table = {static_cast<std::int64_t>(knots_.size()), sizes.words};
  penalties_ = files.floats("own_penalty", table);
  check_elements(
      files.find_tensor("own_penalty", table), penalties_,
      [](float penalty) { return std::isfinite(penalty) && penalty >= 0; }, "a number from 0");
  groups_ = files.integers("word_group", {sizes.words});
  check_elements(
      files.find_tensor("word_group", {sizes.words}), groups_,
      [&](std::int32_t group) { return group >= 0 && group < sizes.words; },
      fmt::format("a whole number from 0 to {}", sizes.words - 1));
}

std::vector<float> OwnWords::penalties(double wander) const {
  if (knots_.empty()) return {};
  const KnotShare knot = share_of_wander(knots_, wander);
  const float* const right = penalties_.data() + knot.right * groups_.size();
  const float* const left = right - groups_.size();
  std::vector<float> penalties;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    penalties.push_back(static_cast<float>((1 - knot.share) * static_cast<double>(left[i]) +
                                           knot.share * static_cast<double>(right[i])));
  return penalties;
}

}  // namespace sotto::lm
