// TEM: the exponential mechanism with the distance truncated.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo tem_info();
Result<MechanismFamily> prepare_tem(const MechanismRequest& request);

}  // namespace sotto::mechanism
