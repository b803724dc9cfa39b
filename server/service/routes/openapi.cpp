// GET /openapi.json.
#include "service/router.hpp"

namespace sotto::server {

/// The document, embedded at build time.
std::string_view openapi_document();

namespace {

Outcome<Response> openapi(ServiceState&, const Request&) {
  return json_response(std::string(openapi_document()));
}

}  // namespace

void add_openapi_route(Router& router) {
  router.add({"GET", "/openapi.json", Access::open, at_once(openapi)});
}

}  // namespace sotto::server
