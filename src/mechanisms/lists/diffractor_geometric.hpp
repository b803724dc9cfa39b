// 1-Diffractor with geometric noise (1-D_G).
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo diffractor_geometric_info();
Result<MechanismFamily> prepare_diffractor_geometric(const MechanismRequest& request);

}  // namespace sotto::mechanism
