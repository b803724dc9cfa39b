// SanText: the exponential mechanism over all words.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo santext_info();
Result<MechanismFamily> prepare_santext(const MechanismRequest& request);

}  // namespace sotto::mechanism
