// The Vickrey mechanism: noise, then the nearest or the second nearest word.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo vickrey_info();
Result<MechanismFamily> prepare_vickrey(const MechanismRequest& request);

}  // namespace sotto::mechanism
