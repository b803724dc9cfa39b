// Multiple linear regression by least squares, as in Table 4 of the comparative analysis.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::evaluate {

/// A column of the regression.
struct Predictor {
  std::string name;
  std::vector<double> values;
};

struct RegressionTerm {
  std::string name;  ///< "const" for the intercept
  double coefficient = 0;
  double standard_error = 0;
  double t = 0;
  double p = 0;  ///< two-sided, Student's t with `degrees_of_freedom`
};

struct LinearRegression {
  std::vector<RegressionTerm> terms;  ///< the intercept first, then the predictors in order
  double r_squared = 0;
  double adjusted_r_squared = 0;
  std::size_t n = 0;
  std::size_t degrees_of_freedom = 0;  ///< of the residuals: n − number of terms
};

/// response ~ const + predictors. Rejects columns of unequal length, values that are not finite, fewer than
/// one degree of freedom, a constant response, and columns that depend linearly on the intercept and earlier
/// columns, naming them. Thread-safe.
Result<LinearRegression> linear_regression(std::span<const Predictor> predictors,
                                           std::span<const double> response);

/// A 0/1 column "name=value" for each distinct value in `values`, in byte order, except the first or
/// `reference`: the usual coding of a category such as the mechanism or the data set. Rejects a `reference`
/// that does not occur.
Result<std::vector<Predictor>> categorical_predictors(const std::string& name,
                                                      std::span<const std::string> values,
                                                      const std::string& reference = {});

}  // namespace sotto::evaluate
