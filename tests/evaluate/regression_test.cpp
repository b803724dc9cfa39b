#include "evaluate/metrics/regression.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "evaluate/reference.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;
using testing::reference;

void expect_near(double actual, const nlohmann::json& expected) {
  const auto value = expected.get<double>();
  EXPECT_NEAR(actual, value, 1e-7 * std::abs(value) + 1e-12);
}

void expect_fit(const LinearRegression& fit, const nlohmann::json& expected) {
  expect_near(fit.r_squared, expected["r_squared"]);
  expect_near(fit.adjusted_r_squared, expected["adjusted_r_squared"]);
  ASSERT_EQ(fit.terms.size(), expected["coefficients"].size());
  EXPECT_EQ(fit.terms[0].name, "const");
  EXPECT_EQ(fit.degrees_of_freedom, fit.n - fit.terms.size());
  for (std::size_t i = 0; i < fit.terms.size(); ++i) {
    expect_near(fit.terms[i].coefficient, expected["coefficients"][i]);
    expect_near(fit.terms[i].standard_error, expected["standard_errors"][i]);
    expect_near(fit.terms[i].t, expected["t"][i]);
    expect_near(fit.terms[i].p, expected["p"][i]);
  }
}

std::vector<Predictor> columns_of(const nlohmann::json& example) {
  std::vector<Predictor> columns;
  for (const auto& column : example["columns"])
    columns.push_back({column["name"], column["values"].get<std::vector<double>>()});
  return columns;
}

TEST(Regression, EqualsStatsmodels) {
  const nlohmann::json& example = reference()["regression"]["plain"];
  const auto fit = linear_regression(columns_of(example), example["response"].get<std::vector<double>>());
  ASSERT_TRUE(fit.has_value()) << fit.error().message;
  expect_fit(*fit, example);
}

TEST(Regression, CategoriesEqualStatsmodels) {
  const nlohmann::json& example = reference()["regression"]["categories"];
  std::vector<Predictor> columns = {columns_of(example)[0]};
  const auto groups = example["groups"].get<std::vector<std::string>>();
  const std::vector<Predictor> dummies = categorical_predictors("mechanism", groups).value();
  columns.insert(columns.end(), dummies.begin(), dummies.end());
  EXPECT_EQ(columns[1].name, "mechanism=gumbel");
  EXPECT_EQ(columns[2].name, "mechanism=tem");
  expect_fit(linear_regression(columns, example["response"].get<std::vector<double>>()).value(), example);
}

TEST(Regression, AnotherReferenceGivesTheSameFit) {
  const nlohmann::json& example = reference()["regression"]["categories"];
  const auto groups = example["groups"].get<std::vector<std::string>>();
  const auto response = example["response"].get<std::vector<double>>();
  const auto first = linear_regression(categorical_predictors("m", groups).value(), response).value();
  const auto second = linear_regression(categorical_predictors("m", groups, "tem").value(), response).value();
  EXPECT_EQ(second.terms[1].name, "m=cmp");
  EXPECT_NEAR(first.r_squared, second.r_squared, 1e-12);
  EXPECT_NEAR(second.terms[1].coefficient, -first.terms[2].coefficient, 1e-12);
  expect_error(categorical_predictors("m", groups, "vickrey"), Errc::invalid_argument,
               {"'vickrey'", "'m'", "cmp, gumbel, tem"});
}

// y = 1 + 2x with residuals (+1, −1, −1, +1): slope 2, intercept 1, residual variance 4/2, SE = √(2/5).
TEST(Regression, ByHand) {
  const std::vector<Predictor> x = {{"x", {0, 1, 2, 3}}};
  const LinearRegression fit = linear_regression(x, std::vector<double>{2, 2, 4, 8}).value();
  EXPECT_NEAR(fit.terms[0].coefficient, 1, 1e-12);
  EXPECT_NEAR(fit.terms[1].coefficient, 2, 1e-12);
  EXPECT_NEAR(fit.terms[1].standard_error, std::sqrt(0.4), 1e-12);
  EXPECT_NEAR(fit.r_squared, 1 - 4.0 / 24, 1e-12);
  // With two degrees of freedom P(|T| > t) = 1 − t/√(2 + t²).
  const double t = 2 / std::sqrt(0.4);
  EXPECT_NEAR(fit.terms[1].p, 1 - t / std::sqrt(2 + t * t), 1e-12);
}

TEST(Regression, RefusesCollinearColumnsByName) {
  const std::vector<double> y = {1, 2, 3, 5, 8, 13};
  const std::vector<double> x = {0.1, 0.2, 0.3, 0.7, 0.5, 0.9};
  std::vector<double> mixed;
  for (const double value : x) mixed.push_back(3 - 7 * value);
  const std::vector<Predictor> columns = {{"x", x}, {"mixed", mixed}};
  expect_error(linear_regression(columns, y), Errc::invalid_argument, {"'mixed'", "linear combination"});
  const std::vector<Predictor> constant = {{"four", std::vector<double>(6, 4)}};
  expect_error(linear_regression(constant, y), Errc::invalid_argument, {"'four'", "constant"});
}

TEST(Regression, RefusesWhatCannotBeFitted) {
  const std::vector<Predictor> x = {{"x", {1, 2, 3}}};
  expect_error(linear_regression(x, std::vector<double>{1, 2}), Errc::invalid_argument,
               {"2 observations", "2 coefficients", "at least 3"});
  expect_error(linear_regression(x, std::vector<double>{1, 2, 3, 4}), Errc::invalid_argument,
               {"'x' has 3", "response has 4"});
  expect_error(linear_regression(x, std::vector<double>{1, NAN, 3}), Errc::invalid_argument, {"response"});
  expect_error(linear_regression(x, std::vector<double>{2, 2, 2}), Errc::invalid_argument, {"constant"});
  const std::vector<Predictor> odd = {{"odd", {1, INFINITY, 3}}};
  expect_error(linear_regression(odd, std::vector<double>{1, 2, 3}), Errc::invalid_argument, {"'odd'"});
}

}  // namespace
}  // namespace sotto
