// A summary of a run, in a few lines for its operator.
#pragma once

#include <string>
#include <vector>

#include <sotto/receipt.hpp>

namespace sotto::cli {

/// Its lines: what was done, what is promised, how an attacker fares. Contains exact counts of the input, so
/// it says that it is not for publication.
std::vector<std::string> summary(const Receipt& receipt);

/// If most words are outside the vocabulary, as in another language or after an encoding error; otherwise
/// empty. The share is private, so it is for the operator's screen only.
std::string vocabulary_warning(const Receipt& receipt);

/// The guarantee alone, as in "analytic guarantee, epsilon 1 per token".
std::string what_is_promised(const Receipt& receipt);

}  // namespace sotto::cli
