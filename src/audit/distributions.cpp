#include "audit/distributions.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>

namespace sotto::audit {

using boost::math::complement;

double normal_quantile(double tail) {
  return quantile(complement(boost::math::normal(), tail));
}

double student_tail(double t, double degrees_of_freedom) {
  return cdf(complement(boost::math::students_t(degrees_of_freedom), t));
}

double student_quantile(double tail, double degrees_of_freedom) {
  return quantile(complement(boost::math::students_t(degrees_of_freedom), tail));
}

double beta_quantile(double a, double b, double probability) {
  return boost::math::ibeta_inv(a, b, probability);
}

double beta_tail_quantile(double a, double b, double tail) {
  return boost::math::ibetac_inv(a, b, tail);
}

}  // namespace sotto::audit
