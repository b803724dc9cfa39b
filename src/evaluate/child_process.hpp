// Work in a process of its own.
#pragma once

#include <functional>
#include <string>

#include <sotto/result.hpp>

namespace sotto {

/// Forks, lets the child compute work(), and returns what it computed. `wait` is called every tenth of a
/// second; when it returns false, the child is ended and the error is Errc::interrupted. A child that ends
/// without an answer is Errc::limit, for want of memory is the likely reason. To be called where no other
/// thread runs: the child would not have it.
Result<std::string> compute_in_child(const std::function<std::string()>& work,
                                     const std::function<bool()>& wait);

}  // namespace sotto
