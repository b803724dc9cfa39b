// The table of routes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "playground/open_mechanisms.hpp"
#include "playground/preview.hpp"
#include "service/failure.hpp"
#include "service/load.hpp"
#include "service/metrics.hpp"
#include "service/profiles.hpp"
#include "service/worker_pool.hpp"

namespace sotto::server {

/// What routes share. Its parts are safe to use from several threads.
struct ServiceState {
  explicit ServiceState(const ServerConfig& configuration);

  const ServerConfig config;
  Metrics metrics;
  Load load;
  std::unique_ptr<ProfileSet> profiles;
  Previewer previewer;
  OpenMechanisms mechanisms;
  WorkerPool computers;  ///< for what takes long and is no rewriting
  WorkerPool workers;    ///< for rewriting
};

/// Answers a request, at once or later.
using Handler = std::function<void(ServiceState&, std::shared_ptr<const Request>, Respond)>;
/// Returns the status to count.
using LineHandler = std::function<unsigned(ServiceState&, const Request&, LineExchange&)>;

struct Route {
  std::string_view method;  ///< GET also answers HEAD
  std::string path;         ///< one that ends in '/' stands for all that begin so, except itself
  Access access = Access::key;
  Handler handle;
  LineHandler handle_lines = {};  ///< for bodies of lines; empty: there are none
  Metrics::Route* metrics = nullptr;
};

/// A handler for what is answered at once.
using Answer = std::function<Outcome<Response>(ServiceState&, const Request&)>;
Handler at_once(Answer answer);
/// A handler for what takes long: it runs on one of a few threads, and if too many of them wait already, the
/// answer is 503.
Handler computed(Answer answer);

/// Finds the route of a request.
class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  void count_into(Metrics& metrics);

  /// A failure with status 404 or 405; `allowed` are then the methods that the path has.
  Outcome<const Route*> find(const Request& request, std::string& allowed) const;

 private:
  std::vector<Route> routes_;
};

/// The routes of one file each.
void add_privatize_route(Router& router);
void add_explain_route(Router& router);
void add_attack_route(Router& router);
void add_budget_route(Router& router);
void add_listing_routes(Router& router);
void add_ledger_routes(Router& router);
void add_health_routes(Router& router);
void add_metrics_route(Router& router);
void add_litellm_route(Router& router);
void add_presidio_route(Router& router);
void add_page_routes(Router& router);
void add_preview_route(Router& router);
void add_openapi_route(Router& router);

}  // namespace sotto::server
