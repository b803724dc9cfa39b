#include "support/statistics.hpp"

#include <stdexcept>

#include <boost/math/distributions/chi_squared.hpp>

namespace sotto::testing {

TestOutcome chi_squared_test(std::span<const std::uint64_t> observed, std::span<const double> probabilities,
                             double alpha, double smallest_expected) {
  if (observed.size() != probabilities.size()) throw std::logic_error("as many counts as probabilities");
  TestOutcome outcome;
  outcome.alpha = alpha;
  double mass = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    outcome.n += observed[i];
    mass += probabilities[i];
    if (probabilities[i] == 0 && observed[i] > 0) outcome.statistic = INFINITY;
  }
  if (std::abs(mass - 1) > 1e-9) throw std::logic_error("probabilities that add up to 1");

  struct Cell {
    double observed = 0;
    double expected = 0;
  };
  std::vector<Cell> cells;
  Cell open;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    open.observed += static_cast<double>(observed[i]);
    open.expected += probabilities[i] * static_cast<double>(outcome.n);
    if (open.expected < smallest_expected) continue;
    cells.push_back(open);
    open = {};
  }
  if (cells.empty()) throw std::logic_error("n too small for a test");
  cells.back().observed += open.observed;
  cells.back().expected += open.expected;
  if (cells.size() < 2) throw std::logic_error("a single cell tests nothing");

  for (const Cell& cell : cells)
    outcome.statistic += (cell.observed - cell.expected) * (cell.observed - cell.expected) / cell.expected;
  outcome.degrees_of_freedom = cells.size() - 1;
  const boost::math::chi_squared law(static_cast<double>(outcome.degrees_of_freedom));
  outcome.critical_value = boost::math::quantile(boost::math::complement(law, alpha));
  return outcome;
}

}  // namespace sotto::testing
