#include "mechanisms/truncation.hpp"

#include <fmt/format.h>

#include <sotto/validate.hpp>

#include "mechanisms/exponential_weights.hpp"

namespace sotto {

Result<Truncation> Truncation::parse(const MechanismRequest& request) {
  const std::string& gamma = request.parameters.at("gamma");
  Truncation truncation;
  truncation.words_ = request.model->size();
  SOTTO_ASSIGN(truncation.beta_, parse_number("--set beta", request.parameters.at("beta"), 1e-12, 0.5));
  if (gamma == "auto") return truncation;
  const auto value = parse_number("--set gamma", gamma, 0, 1e12);
  if (!value)
    return fail(Errc::invalid_argument,
                fmt::format("--set gamma: '{}' is not allowed; give auto or a number from 0 to 1e12", gamma));
  truncation.fixed_ = *value;
  return truncation;
}

double Truncation::at(double epsilon) const {
  return fixed_ >= 0 ? fixed_ : truncation_distance(epsilon, beta_, words_);
}

}  // namespace sotto
