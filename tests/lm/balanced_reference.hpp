// The balanced law as defined in docs/bounded-mlm.md, in long double, by bisection and without integers.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "lm/language_model.hpp"

namespace sotto::testing {

inline std::vector<double> balanced_law(std::span<const float> scores, std::span<const float> log_base,
                                        const lm::BoundedHead& head, double epsilon) {
  const long double reach = std::min<long double>(epsilon, head.reach);
  long double measure = 0;
  for (const float b : log_base) measure += std::exp(static_cast<long double>(b));
  const auto terms_at = [&](long double shift) {
    std::vector<long double> terms;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const long double u = 1 / (1 + std::exp(-head.slope * (scores[i] - shift)));
      const long double m = std::exp(static_cast<long double>(log_base[i])) / measure;
      terms.push_back(m * std::exp(reach * u - head.log_total));
    }
    return terms;
  };
  long double left = -1e5;
  long double right = 1e5;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (left + right) / 2;
    long double total = 0;
    for (const long double term : terms_at(middle)) total += term;
    (total > 1 ? left : right) = middle;
  }
  std::vector<double> law;
  for (const long double term : terms_at(left)) law.push_back(static_cast<double>(term));
  return law;
}

}  // namespace sotto::testing
