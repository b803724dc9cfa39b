#include "service/router.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace sotto::server {
namespace {

constexpr std::size_t kMostComputations = 32;
constexpr unsigned kComputers = 2;

unsigned worker_count(unsigned configured) {
  return configured > 0 ? configured : std::max(1U, std::thread::hardware_concurrency());
}

bool has_path(const Route& route, std::string_view path) {
  if (route.path == path) return true;
  return route.path.size() > 1 && route.path.back() == '/' && path.size() > route.path.size() &&
         path.starts_with(route.path);
}

bool has_method(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

Response answered(const Answer& answer, ServiceState& state, const Request& request) {
  try {
    auto response = answer(state, request);
    return response ? std::move(*response) : response_of(response.error());
  } catch (const std::bad_alloc&) {
    return response_of(unavailable("there is not enough memory for this").value());
  }
}

}  // namespace

ServiceState::ServiceState(const ServerConfig& configuration)
    : config(configuration),
      load(configuration.limits.queued_bytes),
      computers(kComputers),
      workers(worker_count(configuration.threads)) {}

Handler at_once(Answer answer) {
  return [answer = std::move(answer)](ServiceState& state, const std::shared_ptr<const Request>& request,
                                      const Respond& respond) { respond(answered(answer, state, *request)); };
}

Handler computed(Answer answer) {
  return [answer = std::move(answer)](ServiceState& state, const std::shared_ptr<const Request>& request,
                                      const Respond& respond) {
    auto share = state.load.take(request->body.size());
    if (!share) return respond(response_of(share.error()));
    const bool taken = state.computers.post_unless(
        kMostComputations, [answer, &state, request, respond, share = std::move(*share)] {
          respond(answered(answer, state, *request));
        });
    if (!taken) respond(response_of(overloaded("too many computations wait already").value()));
  };
}

void Router::count_into(Metrics& metrics) {
  for (Route& route : routes_)
    route.metrics = &metrics.add_route(std::string(route.method) + " " + route.path);
}

Outcome<const Route*> Router::find(const Request& request, std::string& allowed) const {
  for (const Route& route : routes_) {
    if (!has_path(route, request.path)) continue;
    if (has_method(route, request.method)) return &route;
    if (!allowed.empty()) allowed += ", ";
    allowed += route.method == "GET" ? "GET, HEAD" : route.method;
  }
  if (allowed.empty()) return tl::unexpected(Failure(404, "not_found", "there is nothing at this path"));
  return tl::unexpected(Failure(405, "method_not_allowed", "this path has the methods " + allowed));
}

}  // namespace sotto::server
