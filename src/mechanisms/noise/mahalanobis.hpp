// Noise in the shape of the word cloud, then the nearest word.
#pragma once

#include "mechanisms/mechanism_request.hpp"

namespace sotto::mechanism {

MechanismInfo mahalanobis_info();
Result<MechanismFamily> prepare_mahalanobis(const MechanismRequest& request);

}  // namespace sotto::mechanism
