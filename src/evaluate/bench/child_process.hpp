// Runs work in a separate process.
#pragma once

#include <functional>
#include <string>

#include <sotto/result.hpp>

namespace sotto::evaluate {

/// Forks, lets the child compute work(), and returns the result. `wait` is called every tenth of a second; if
/// it returns false, the child is killed and the error is Errc::interrupted. A child that ends without an
/// answer is Errc::limit, probably for lack of memory. Call this only while no other thread runs: the child
/// would not have it.
Result<std::string> compute_in_child(const std::function<std::string()>& work,
                                     const std::function<bool()>& wait);

}  // namespace sotto::evaluate
