// What a run did, in one line for its operator.
#pragma once

#include <string>

#include <sotto/receipt.hpp>

namespace sotto::cli {

/// Names exact counts of the input, so it says that it is not for publication.
std::string summary(const Receipt& receipt);

}  // namespace sotto::cli
