// GET /healthz: it runs. GET /readyz: it takes work.
#include "service/router.hpp"

namespace sotto::server {
namespace {

Outcome<Response> healthz(ServiceState&, const Request&) {
  return json_response("{\"status\":\"ok\"}\n");
}

Outcome<Response> readyz(ServiceState& state, const Request&) {
  if (state.load.is_ending()) return unavailable("the service is ending");
  if (state.load.bytes() >= state.config.limits.queued_bytes)
    return overloaded("too many texts wait already");
  return json_response("{\"status\":\"ready\"}\n");
}

}  // namespace

void add_health_routes(Router& router) {
  router.add({"GET", "/healthz", Access::open, at_once(healthz)});
  router.add({"GET", "/readyz", Access::open, at_once(readyz)});
}

}  // namespace sotto::server
