// 1-Diffractor with the truncated exponential mechanism (1-D_T).
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo diffractor_tem_info();
Result<MechanismFamily> prepare_diffractor_tem(const MechanismRequest& request);

}  // namespace sotto::mechanism
