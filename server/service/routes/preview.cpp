// POST /v1/preview: what the page shows while somebody drags, under public noise. Never a release.
#include "playground/preview_json.hpp"
#include "service/computation.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 8> kPreviewMembers = {"text",     "mechanism", "model", "parameters",
                                                             "epsilons", "policy",    "draw",  "measure"};
constexpr std::uint64_t kMostDraws = 1'000'000;

/// {"policy": "strict" or "paper", and its parts by name}.
Outcome<Policy> read_policy(const JsonObject& body) {
  Policy policy;
  SOTTO_ASSIGN(const auto parts, body.settings("policy"));
  for (const auto& [name, value] : parts) {
    if (name != "policy") continue;
    SOTTO_ASSIGN(policy, parse_policy(value));
  }
  for (const auto& [name, value] : parts)
    if (name != "policy") SOTTO_TRY(set_policy_part(policy, name, value));
  return policy;
}

Outcome<PreviewRequest> read_preview(const JsonObject& body) {
  PreviewRequest preview;
  SOTTO_ASSIGN(const auto text, body.text("text"));
  if (!text) return unprocessable("text is missing", "text");
  preview.text = *text;
  SOTTO_ASSIGN(preview.options.mechanism, read_mechanism(body));
  SOTTO_ASSIGN(preview.options.policy, read_policy(body));
  SOTTO_ASSIGN(const auto epsilons, body.numbers("epsilons", kMostPreviewEpsilons));
  if (!epsilons) return unprocessable("epsilons are missing", "epsilons");
  preview.epsilons = *epsilons;
  SOTTO_ASSIGN(const auto draw, body.integer("draw", 0, kMostDraws));
  preview.draw = draw.value_or(0);
  SOTTO_ASSIGN(const auto measure, body.boolean("measure"));
  preview.measure = measure.value_or(false);
  return preview;
}

Outcome<Response> preview_request(ServiceState& state, const Request& request) {
  if (!state.config.playground)
    return tl::unexpected(Failure(404, "not_found", "there is nothing at this path"));
  SOTTO_ASSIGN(const JsonObject body, JsonObject::parse(request.body, kPreviewMembers));
  SOTTO_ASSIGN(const PreviewRequest read, read_preview(body));
  SOTTO_ASSIGN(const auto preview, state.previewer.preview(read));
  if (!preview) return overloaded("other previews are being prepared");
  return json_response(to_json(*preview));
}

}  // namespace

void add_preview_route(Router& router) {
  router.add({"POST", "/v1/preview", Access::key, computed(preview_request)});
}

}  // namespace sotto::server
