// CMP: multivariate Laplace noise, then the nearest word.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo cmp_info();
Result<MechanismFamily> prepare_cmp(const MechanismRequest& request);

}  // namespace sotto::mechanism
