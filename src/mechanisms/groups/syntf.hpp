// SynTF: exponential mechanism over WordNet synonyms.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo syntf_info();
Result<MechanismFamily> prepare_syntf(const MechanismRequest& request);

}  // namespace sotto::mechanism
