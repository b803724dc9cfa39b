// POST /v1/privatize with a body of lines.
#pragma once

#include "service/router.hpp"

namespace sotto::server {

/// Reads, rewrites and answers a part of the lines at a time, so that memory does not depend on their number.
/// Returns the status to count.
unsigned privatize_lines(ServiceState& state, const Request& request, LineExchange& exchange);

}  // namespace sotto::server
