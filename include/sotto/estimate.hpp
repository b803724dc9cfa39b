// Figures that may be estimated from draws.
#pragma once

namespace sotto {

/// A figure and its confidence interval. All three are equal if the figure is exact.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

}  // namespace sotto
