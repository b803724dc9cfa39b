// GET /metrics, in Prometheus' text format.
#include "service/router.hpp"

namespace sotto::server {
namespace {

Outcome<Response> metrics(ServiceState& state, const Request&) {
  return Response{
      200, "text/plain; version=0.0.4; charset=utf-8", {}, state.metrics.text(state.load.bytes())};
}

}  // namespace

void add_metrics_route(Router& router) {
  router.add({"GET", "/metrics", Access::metrics, at_once(metrics)});
}

}  // namespace sotto::server
