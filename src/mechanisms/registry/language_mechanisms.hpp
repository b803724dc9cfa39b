// The mechanisms that rewrite whole texts with a language model: described here, implemented in src/lm.
#pragma once

#include <sotto/mechanism.hpp>

namespace sotto::mechanism {

MechanismInfo dp_mlm_info();
MechanismInfo dp_mlm_plus_info();
MechanismInfo dp_paraphrase_info();
MechanismInfo dp_prompt_info();

}  // namespace sotto::mechanism
