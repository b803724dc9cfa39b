#include "service/service.hpp"

#include <chrono>
#include <new>
#include <utility>

#include <sodium.h>

#include <sotto/language_models.hpp>
#include <sotto/model_names.hpp>

#include "service/router.hpp"

namespace sotto::server {

struct Service::Impl {
  explicit Impl(const ServerConfig& config) : state(config) {}
  ServiceState state;
  Router router;
};

namespace {

using Clock = std::chrono::steady_clock;

std::string_view header(const Request& request, std::string_view name) {
  for (const Header& one : request.headers)
    if (one.first == name) return one.second;
  return {};
}

/// The type without its parameters.
std::string_view content_type(const Request& request) {
  std::string_view type = header(request, "content-type");
  type = type.substr(0, type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return type;
}

/// What the transport decides as well: here for all that use the service without it.
Outcome<void> check_access(const ServerConfig& config, const Route& route, const Request& request) {
  if (!config.keys_file || route.access == Access::open) return {};
  if (route.access == Access::metrics && request.caller.metrics) return {};
  if (route.access == Access::key && !request.caller.key_name.empty()) return {};
  return tl::unexpected(Failure(401, "unauthorized", "this needs an API key that may do it"));
}

/// A page of another site may send a form here, but no JSON unless a browser asks first.
Outcome<void> check_body(const Route& route, const Request& request) {
  if (route.method != "POST") return {};
  if (!request.query.empty())
    return unprocessable("a JSON request has no query; its members are in the body", "query");
  if (content_type(request) == "application/json") return {};
  return tl::unexpected(
      Failure(415, "unsupported", "the body must be JSON, with content-type application/json"));
}

/// Counts the answer on its way out.
Respond counted(const Route& route, bool without_body, Respond respond) {
  return [metrics = route.metrics, without_body, respond = std::move(respond),
          begin = Clock::now()](Response response) {
    metrics->count(response.status, Clock::now() - begin);
    if (without_body) response.body.clear();
    respond(std::move(response));
  };
}

/// The first language model of a process changes the environment, which others read later: so one is loaded
/// while nobody else does anything.
void load_first_language_model() {
  for (const ListedLanguageModel& model : list_language_models())
    if (language_model_info(model.name)) return;
}

Response no_route(const Failure& failure, const std::string& allowed) {
  Response response = response_of(failure);
  if (!allowed.empty()) response.headers.emplace_back("allow", allowed);
  return response;
}

bool sends_lines(const Request& request) {
  return content_type(request) == "application/x-ndjson";
}

}  // namespace

Service::Service(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Service::~Service() {
  drain();
}

Result<std::unique_ptr<Service>> Service::make(const ServerConfig& config) {
  if (sodium_init() < 0) return fail(Errc::io, "the system gives no random numbers");
  load_first_language_model();
  auto impl = std::make_unique<Impl>(config);
  SOTTO_ASSIGN(impl->state.profiles, ProfileSet::open(config, impl->state.workers));
  for (const auto& add :
       {add_privatize_route, add_explain_route, add_attack_route, add_budget_route, add_listing_routes,
        add_ledger_routes, add_health_routes, add_metrics_route, add_openapi_route, add_page_routes,
        add_preview_route, add_litellm_route, add_presidio_route})
    add(impl->router);
  impl->router.count_into(impl->state.metrics);
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

Access Service::access(const Request& request) const {
  std::string allowed;
  const auto route = impl_->router.find(request, allowed);
  return route ? (*route)->access : Access::open;
}

std::string Service::route(const Request& request) const {
  std::string allowed;
  const auto route = impl_->router.find(request, allowed);
  return route ? (*route)->path : std::string();
}

bool Service::in_lines(const Request& request) const {
  std::string allowed;
  const auto route = impl_->router.find(request, allowed);
  return route && (*route)->handle_lines && sends_lines(request);
}

void Service::handle(Request request, Respond respond) {
  std::string allowed;
  const auto route = impl_->router.find(request, allowed);
  if (!route) return respond(no_route(route.error(), allowed));
  const Respond answer = counted(**route, request.method == "HEAD", std::move(respond));
  if (auto may = check_access(impl_->state.config, **route, request); !may)
    return answer(response_of(may.error()));
  if (auto sound = check_body(**route, request); !sound) return answer(response_of(sound.error()));
  (*route)->handle(impl_->state, std::make_shared<const Request>(std::move(request)), answer);
}

void Service::handle_lines(const Request& request, LineExchange& exchange) {
  std::string allowed;
  const auto route = impl_->router.find(request, allowed);
  if (!route) return exchange.refuse(no_route(route.error(), allowed));
  if (auto may = check_access(impl_->state.config, **route, request); !may)
    return exchange.refuse(response_of(may.error()));
  const Clock::time_point begin = Clock::now();
  const unsigned status = (*route)->handle_lines(impl_->state, request, exchange);
  (*route)->metrics->count(status, Clock::now() - begin);
}

void Service::drain() {
  impl_->state.load.drain();
}

}  // namespace sotto::server
