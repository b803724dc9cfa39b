// The truncated Gumbel mechanism.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo gumbel_info();
Result<MechanismFamily> prepare_gumbel(const MechanismRequest& request);

}  // namespace sotto::mechanism
