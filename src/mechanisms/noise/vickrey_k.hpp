// The generalised Vickrey mechanism: noise, then one of the k nearest words.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo vickrey_k_info();

/// A list of equal t, one per rank, means the same as that value alone and is normalized to it.
void shorten_equal_t(ParameterValues& complete);
Result<MechanismFamily> prepare_vickrey_k(const MechanismRequest& request);

}  // namespace sotto::mechanism
