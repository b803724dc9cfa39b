// POST /beta/litellm_basic_guardrail_api: LiteLLM's generic guardrail API. LiteLLM sends what a request holds
// and passes on what comes back, so whatever is not rewritten here would reach the model as it is: such
// requests are blocked. Every failure has an error status, and LiteLLM then fails as well.
#include <algorithm>

#include "service/json_writer.hpp"
#include "service/privatize_texts.hpp"

namespace sotto::server {
namespace {

// What a later version adds might hold a text, so it is refused until it is known.
constexpr std::array<std::string_view, 13> kGuardrailMembers = {"input_type",
                                                                "litellm_call_id",
                                                                "litellm_trace_id",
                                                                "structured_messages",
                                                                "images",
                                                                "tools",
                                                                "texts",
                                                                "request_data",
                                                                "request_headers",
                                                                "litellm_version",
                                                                "additional_provider_specific_params",
                                                                "tool_calls",
                                                                "model"};
// All that LiteLLM takes texts from, and marks without content.
constexpr std::array<std::string_view, 3> kMessageMembers = {"role", "content", "cache_control"};
constexpr std::array<std::string_view, 3> kPartMembers = {"type", "text", "cache_control"};

/// A request as it was read: the texts refer to it.
struct GuardrailRequest {
  explicit GuardrailRequest(JsonObject parsed) : body(std::move(parsed)) {}
  JsonObject body;
  std::string end_user;
  std::optional<std::string> profile;
  std::vector<std::string> drawn_ids;
  std::vector<TextToPrivatize> texts;
};

Response blocked(std::string_view reason) {
  std::string json = R"({"action":"BLOCKED","blocked_reason":)";
  append_json(json, reason);
  return json_response(json + "}\n");
}

bool is_empty_list(const JsonObject& body, std::string_view member) {
  const std::string json = body.json(member);
  return json.empty() || json == "[]";
}

bool has_only_text(const JsonObject& message, std::size_t most) {
  if (!message.has("content") || message.text("content")) return true;
  const auto parts = message.objects("content", most, kPartMembers);
  if (!parts || !*parts) return false;
  return std::all_of((*parts)->begin(), (*parts)->end(), [](const JsonObject& part) {
    const auto type = part.text("type");
    return type && *type == "text";
  });
}

/// Why the request cannot be privatized; empty: it can.
std::string_view unprivatized_part(const JsonObject& body, std::size_t most) {
  if (!is_empty_list(body, "images")) return "images cannot be privatized";
  if (!is_empty_list(body, "tools") || !is_empty_list(body, "tool_calls"))
    return "tools and their calls cannot be privatized";
  const auto messages = body.objects("structured_messages", most, kMessageMembers);
  if (!messages) return "a message has members besides role and content, which cannot be privatized";
  if (*messages && !std::all_of((*messages)->begin(), (*messages)->end(),
                                [&](const JsonObject& message) { return has_only_text(message, most); }))
    return "a message has content besides text, which cannot be privatized";
  return {};
}

Outcome<void> check_direction(const JsonObject& body) {
  SOTTO_ASSIGN(const auto input_type, body.text("input_type"));
  if (input_type == "request") return {};
  return unprocessable("only requests are privatized; give the guardrail mode: pre_call", "input_type");
}

Outcome<void> read_settings(GuardrailRequest& request) {
  SOTTO_ASSIGN(const auto data, request.body.settings("request_data"));
  for (const auto& [name, value] : data)
    if (name == "user_api_key_end_user_id") request.end_user = value;
  SOTTO_ASSIGN(const auto extra, request.body.settings("additional_provider_specific_params"));
  for (const auto& [name, value] : extra) {
    if (name != "profile")
      return unprocessable("only a profile can be chosen", "additional_provider_specific_params");
    request.profile = value;
  }
  return {};
}

/// A conversation comes again with each of its turns. Under the id of its user, a text that comes again has
/// the same output and is charged once, as far as the profile lets texts come again.
void give_ids(GuardrailRequest& request, const Profile& profile) {
  const bool may_repeat = profile.repeat == Repeat::same && !profile.options.unique_ids;
  if (may_repeat && !request.end_user.empty()) {
    for (TextToPrivatize& text : request.texts) text.id = request.end_user;
    return;
  }
  request.drawn_ids = fresh_ids(request.texts.size());
  for (std::size_t i = 0; i < request.texts.size(); ++i) request.texts[i].id = request.drawn_ids[i];
}

Outcome<std::shared_ptr<GuardrailRequest>> read_guardrail_request(const Request& request,
                                                                  const Limits& limits) {
  SOTTO_ASSIGN(auto body, JsonObject::parse(request.body, kGuardrailMembers));
  SOTTO_TRY(check_direction(body));
  auto read = std::make_shared<GuardrailRequest>(std::move(body));
  SOTTO_TRY(read_settings(*read));
  SOTTO_ASSIGN(const auto texts, read->body.texts("texts", limits.texts));
  if (!texts) return unprocessable("texts is missing", "texts");
  for (const std::string_view text : *texts) read->texts.push_back({text, {}, read->end_user});
  return read;
}

Response guardrail_answer(const Outcome<Privatized>& privatized) {
  if (!privatized) return response_of(privatized.error());
  std::string json = R"({"action":"GUARDRAIL_INTERVENED","texts":[)";
  for (const PrivatizedText& text : privatized->texts) {
    if (text.release == Release::withheld)
      return blocked("the privacy budget of this end user does not allow the request");
    if (text.release == Release::refused) return blocked("a text came under this id before");
    if (json.back() != '[') json += ',';
    append_json(json, text.text);
  }
  return json_response(json + "]}\n");
}

void guard(ServiceState& state, const std::shared_ptr<const Request>& request, const Respond& respond) {
  auto whole = read_guardrail_request(*request, state.config.limits);
  if (!whole) return respond(response_of(whole.error()));
  const std::shared_ptr<GuardrailRequest> read = std::move(*whole);
  const std::string_view reason = unprivatized_part(read->body, state.config.limits.texts);
  if (!reason.empty()) return respond(blocked(reason));
  const auto profile = state.profiles->find(request->caller, read->profile);
  if (!profile) return respond(response_of(profile.error()));
  give_ids(*read, (*profile)->profile());
  privatize_texts(
      state, request->caller, **profile, std::nullopt, read->texts, read,
      [](RewriteQueue&, const Outcome<Privatized>& privatized) { return guardrail_answer(privatized); },
      respond);
}

}  // namespace

void add_litellm_route(Router& router) {
  router.add({"POST", "/beta/litellm_basic_guardrail_api", Access::key, guard});
}

}  // namespace sotto::server
