#include "mechanisms/truncation.hpp"

#include "base/checked_value.hpp"
#include "mechanisms/exponential_weights.hpp"

namespace sotto::mechanism {

Result<Truncation> Truncation::parse(const MechanismRequest& request) {
  const std::string& gamma = request.parameters.at("gamma");
  Truncation truncation;
  truncation.words_ = request.model->size();
  SOTTO_ASSIGN(truncation.beta_, read_number("parameters.beta", request.parameters.at("beta"), 1e-12, 0.5));
  if (gamma == "auto") return truncation;
  const auto value = read_number("parameters.gamma", gamma, 0, 1e12);
  if (!value) return base::not_allowed("parameters.gamma", gamma, "auto or a number from 0 to 1e12");
  truncation.fixed_ = *value;
  return truncation;
}

double Truncation::at(double epsilon) const {
  return fixed_ >= 0 ? fixed_ : truncation_distance(epsilon, beta_, words_);
}

}  // namespace sotto::mechanism
