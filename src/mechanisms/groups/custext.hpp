// CusText: exponential mechanism inside small groups of similar words.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo custext_info();
Result<MechanismFamily> prepare_custext(const MechanismRequest& request);

}  // namespace sotto::mechanism
