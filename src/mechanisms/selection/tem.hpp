// TEM: the exponential mechanism with the distance truncated.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto {

MechanismInfo tem_info();
Result<MechanismFamily> prepare_tem(const MechanismRequest& request);

}  // namespace sotto
