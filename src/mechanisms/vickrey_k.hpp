// The generalised Vickrey mechanism: noise, then one of the k nearest words.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto {

MechanismInfo vickrey_k_info();
Result<MechanismFamily> prepare_vickrey_k(const MechanismRequest& request);

}  // namespace sotto
