// Keeps web pages from driving a server without keys that only this machine reaches.
#pragma once

#include <optional>

#include "http/request_head.hpp"

namespace sotto::server {

/// Refuses a Host that is not this machine's, which a page gets by making its own name mean 127.0.0.1, and
/// requests that change something if they come from pages of other origins.
std::optional<Refusal> refuse_foreign(const RequestHead& head);

}  // namespace sotto::server
