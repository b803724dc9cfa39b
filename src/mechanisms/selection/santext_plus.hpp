// SanText+: frequent words are mostly kept, others are replaced with sensitive words.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo santext_plus_info();
Result<MechanismFamily> prepare_santext_plus(const MechanismRequest& request);

}  // namespace sotto::mechanism
