// GET /v1/mechanisms, /v1/models and /v1/profiles.
#include <fmt/format.h>

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/model_names.hpp>

#include "service/json_writer.hpp"
#include "service/router.hpp"

namespace sotto::server {
namespace {

Outcome<Response> list_mechanisms(ServiceState&, const Request&) {
  return json_response(to_json(std::span(mechanisms())));
}

/// Names only: a folder is nothing to a client.
Outcome<Response> list_model_names(ServiceState&, const Request&) {
  std::string json = R"({"models":[)";
  bool first = true;
  for (const std::string& name : model_names()) {
    if (!std::exchange(first, false)) json += ',';
    append_json(json, name);
  }
  json += R"(],"language_models":[)";
  first = true;
  for (const ListedLanguageModel& model : list_language_models()) {
    if (!std::exchange(first, false)) json += ',';
    json += R"({"name":)";
    append_json(json, model.name);
    json += R"(,"kind":)";
    append_json(json, model.kind);
    json += '}';
  }
  return json_response(json + "]}\n");
}

void append_policy(std::string& json, const Policy& policy) {
  fmt::format_to(
      std::back_inserter(json),
      R"({{"stopwords":"{}","oov":"{}","numbers":"{}","punctuation":"{}","case":"{}","articles":"{}"}})",
      to_string(policy.stopwords), to_string(policy.oov), to_string(policy.numbers),
      to_string(policy.punctuation), to_string(policy.letter_case), to_string(policy.articles));
}

void append_allowed(std::string& json, const std::vector<AllowedMechanism>& allowed) {
  json += '[';
  for (const AllowedMechanism& one : allowed) {
    if (json.back() != '[') json += ',';
    json += R"({"mechanism":)";
    append_json(json, one.name);
    fmt::format_to(std::back_inserter(json), R"(,"most_epsilon":{}}})", one.most_epsilon);
  }
  json += ']';
}

void append_profile(std::string& json, const OpenProfile& profile) {
  const PrivatizeOptions& options = profile.own()->options();
  json += R"({"name":)";
  append_json(json, profile.profile().name);
  json += R"(,"mechanism":)";
  append_json(json, options.mechanism.name);
  fmt::format_to(std::back_inserter(json), R"(,"epsilon":{},"epsilon_per":"{}","policy":)",
                 options.document_budget ? options.document_budget->epsilon : options.mechanism.epsilon,
                 options.document_budget ? "document" : "token");
  append_policy(json, options.policy);
  json += R"(,"allowed":)";
  append_allowed(json, profile.profile().allowed);
  fmt::format_to(std::back_inserter(json), R"(,"repeat":"{}","max_document_bytes":{},"limit":)",
                 profile.profile().repeat == Repeat::refuse ? "refuse" : "same", options.max_document_bytes);
  if (profile.desk() != nullptr)
    fmt::format_to(std::back_inserter(json), "{},\"unit\":", profile.desk()->options().limit);
  else
    json += R"(null,"unit":)";
  append_json(json, profile.desk() != nullptr ? profile.desk()->unit() : profile.own()->unit());
  json += '}';
}

Outcome<Response> list_profiles(ServiceState& state, const Request& request) {
  std::string json = R"({"profiles":[)";
  for (const OpenProfile* profile : state.profiles->all_of(request.caller)) {
    if (json.back() != '[') json += ',';
    append_profile(json, *profile);
  }
  return json_response(json + "]}\n");
}

}  // namespace

void add_listing_routes(Router& router) {
  router.add({"GET", "/v1/mechanisms", Access::key, at_once(list_mechanisms)});
  router.add({"GET", "/v1/models", Access::key, computed(list_model_names)});
  router.add({"GET", "/v1/profiles", Access::key, at_once(list_profiles)});
}

}  // namespace sotto::server
