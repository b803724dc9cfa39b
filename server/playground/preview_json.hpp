// A preview as the page reads it.
#pragma once

#include <string>

#include "playground/preview.hpp"

namespace sotto::server {

/// As JSON on one line. Thread-safe.
std::string to_json(const Preview& preview);

}  // namespace sotto::server
