#include "evaluate/metrics/regression.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/QR>
#include <fmt/format.h>

#include "audit/distributions.hpp"

namespace sotto::evaluate {
namespace {

/// A column whose distance from the earlier ones is below this fraction of its norm is dependent on them.
constexpr double kDependence = 1e-10;

Result<void> check_columns(std::span<const Predictor> predictors, std::span<const double> response) {
  const std::size_t n = response.size();
  if (n <= predictors.size() + 1)
    return fail(Errc::invalid_argument,
                fmt::format("regression: {} observations for {} coefficients; give at least {}", n,
                            predictors.size() + 1, predictors.size() + 2));
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(response.begin(), response.end(), is_finite))
    return fail(Errc::invalid_argument, "regression: the response has values that are not finite");
  for (const Predictor& predictor : predictors) {
    if (predictor.values.size() != n)
      return fail(Errc::invalid_argument, fmt::format("regression: '{}' has {} values; the response has {}",
                                                      predictor.name, predictor.values.size(), n));
    if (!std::all_of(predictor.values.begin(), predictor.values.end(), is_finite))
      return fail(Errc::invalid_argument,
                  fmt::format("regression: '{}' has values that are not finite", predictor.name));
  }
  return {};
}

Eigen::MatrixXd design_matrix(std::span<const Predictor> predictors, std::size_t n) {
  Eigen::MatrixXd design(n, predictors.size() + 1);
  design.col(0).setOnes();
  for (std::size_t j = 0; j < predictors.size(); ++j)
    design.col(static_cast<Eigen::Index>(j) + 1) =
        Eigen::Map<const Eigen::VectorXd>(predictors[j].values.data(), static_cast<Eigen::Index>(n));
  return design;
}

double two_sided_p(double t, std::size_t degrees_of_freedom) {
  if (std::isinf(t)) return 0;
  return 2 * audit::student_tail(std::abs(t), static_cast<double>(degrees_of_freedom));
}

}  // namespace

Result<LinearRegression> linear_regression(std::span<const Predictor> predictors,
                                           std::span<const double> response) {
  SOTTO_TRY(check_columns(predictors, response));
  const Eigen::MatrixXd design = design_matrix(predictors, response.size());
  const Eigen::Map<const Eigen::VectorXd> y(response.data(), static_cast<Eigen::Index>(response.size()));
  const Eigen::Index columns = design.cols();
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition(design);
  const Eigen::MatrixXd triangle =
      decomposition.matrixQR().topRows(columns).template triangularView<Eigen::Upper>();
  // Without pivoting, a diagonal element is the distance of its column from the span of the earlier ones.
  for (Eigen::Index j = 1; j < columns; ++j)
    if (!(std::abs(triangle(j, j)) > kDependence * design.col(j).norm()))
      return fail(
          Errc::invalid_argument,
          fmt::format("regression: '{}' is constant or a linear combination of the columns before it; "
                      "leave it out",
                      predictors[static_cast<std::size_t>(j) - 1].name));
  const Eigen::VectorXd coefficients = decomposition.solve(y);
  const double total = (y.array() - y.mean()).matrix().squaredNorm();
  if (!(total > 0)) return fail(Errc::invalid_argument, "regression: the response is constant");
  const double residual = (y - design * coefficients).squaredNorm();

  LinearRegression regression;
  regression.n = response.size();
  regression.degrees_of_freedom = response.size() - static_cast<std::size_t>(columns);
  const auto freedom = static_cast<double>(regression.degrees_of_freedom);
  regression.r_squared = 1 - residual / total;
  regression.adjusted_r_squared = 1 - (residual / freedom) / (total / static_cast<double>(regression.n - 1));
  // (XᵀX)⁻¹ = R⁻¹R⁻ᵀ, so its diagonal holds the squared norms of the rows of R⁻¹.
  const Eigen::MatrixXd inverse =
      triangle.template triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(columns, columns));
  for (Eigen::Index j = 0; j < columns; ++j) {
    RegressionTerm term;
    term.name = j == 0 ? "const" : predictors[static_cast<std::size_t>(j) - 1].name;
    term.coefficient = coefficients(j);
    term.standard_error = std::sqrt(residual / freedom) * inverse.row(j).norm();
    term.t = term.coefficient / term.standard_error;
    term.p = two_sided_p(term.t, regression.degrees_of_freedom);
    regression.terms.push_back(std::move(term));
  }
  return regression;
}

Result<std::vector<Predictor>> categorical_predictors(const std::string& name,
                                                      std::span<const std::string> values,
                                                      const std::string& reference) {
  std::set<std::string> levels(values.begin(), values.end());
  const auto omitted = reference.empty() ? levels.begin() : levels.find(reference);
  if (omitted == levels.end())
    return fail(Errc::invalid_argument, fmt::format("regression: '{}' is not among the values of '{}': {}",
                                                    reference, name, fmt::join(levels, ", ")));
  levels.erase(omitted);
  std::vector<Predictor> columns;
  for (const std::string& level : levels) {
    Predictor column{fmt::format("{}={}", name, level), {}};
    for (const std::string& value : values) column.values.push_back(value == level ? 1 : 0);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace sotto::evaluate
