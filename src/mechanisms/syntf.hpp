// SynTF: exponential mechanism over WordNet synonyms.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto {

MechanismInfo syntf_info();
Result<std::unique_ptr<Mechanism>> make_syntf(const MechanismRequest& request);

}  // namespace sotto
