// A summary of a run, in one line for its operator.
#pragma once

#include <string>

#include <sotto/receipt.hpp>

namespace sotto::cli {

/// Contains exact counts of the input, so it says that it is not for publication.
std::string summary(const Receipt& receipt);

}  // namespace sotto::cli
