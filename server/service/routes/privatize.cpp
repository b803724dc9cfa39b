// POST /v1/privatize: one text or an array of them.
#include <fmt/format.h>

#include "service/json_reader.hpp"
#include "service/json_writer.hpp"
#include "service/privatize_texts.hpp"
#include "service/routes/privatize_lines.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 10> kPrivatizeMembers = {
    "text", "texts", "id", "ids", "subject", "subjects", "profile", "mechanism", "epsilon", "policy"};

/// A request as it was read: the texts refer to the body and the drawn ids.
struct ReadRequest {
  explicit ReadRequest(JsonObject parsed) : body(std::move(parsed)) {}
  JsonObject body;
  std::vector<std::string> drawn_ids;
  std::vector<TextToPrivatize> texts;
  bool one_text = false;     ///< "text", not "texts"
  bool one_subject = false;  ///< "subject" for all texts
};

/// Either the member itself or its plural: "text" or "texts". Empty: neither.
Outcome<std::vector<std::string_view>> one_or_many(const JsonObject& body, const std::string& one,
                                                   std::size_t most) {
  SOTTO_ASSIGN(const auto single, body.text(one));
  SOTTO_ASSIGN(auto many, body.texts(one + "s", most));
  if (single && many) return unprocessable(fmt::format("give either {0} or {0}s", one), one + "s");
  if (single) return std::vector{*single};
  return many ? std::move(*many) : std::vector<std::string_view>();
}

tl::unexpected<Failure> lengths_differ(const std::string& member, std::size_t count, std::size_t texts) {
  return unprocessable(fmt::format("there are {} {} for {} texts", count, member, texts), member);
}

Outcome<void> read_ids(ReadRequest& request, std::size_t most) {
  SOTTO_ASSIGN(const auto ids, one_or_many(request.body, "id", most));
  const bool given = request.body.has("id") || request.body.has("ids");
  if (given && ids.size() != request.texts.size())
    return lengths_differ("ids", ids.size(), request.texts.size());
  if (!given) request.drawn_ids = fresh_ids(request.texts.size());
  for (std::size_t i = 0; i < request.texts.size(); ++i)
    request.texts[i].id = given ? ids[i] : std::string_view(request.drawn_ids[i]);
  return {};
}

Outcome<void> read_subjects(ReadRequest& request, std::size_t most) {
  SOTTO_ASSIGN(const auto subjects, one_or_many(request.body, "subject", most));
  request.one_subject = request.body.has("subject");
  const bool given = request.one_subject || request.body.has("subjects");
  if (given && !request.one_subject && subjects.size() != request.texts.size())
    return lengths_differ("subjects", subjects.size(), request.texts.size());
  for (std::size_t i = 0; given && i < request.texts.size(); ++i)
    request.texts[i].subject = request.one_subject ? subjects.front() : subjects[i];
  return {};
}

Outcome<std::shared_ptr<ReadRequest>> read_request(const Request& request, const Limits& limits) {
  SOTTO_ASSIGN(auto body, JsonObject::parse(request.body, kPrivatizeMembers));
  auto read = std::make_shared<ReadRequest>(std::move(body));
  SOTTO_ASSIGN(const auto texts, one_or_many(read->body, "text", limits.texts));
  read->one_text = read->body.has("text");
  if (!read->one_text && !read->body.has("texts")) return unprocessable("text or texts is missing", "texts");
  for (const std::string_view text : texts) read->texts.push_back({text, {}, {}});
  SOTTO_TRY(read_ids(*read, limits.texts));
  SOTTO_TRY(read_subjects(*read, limits.texts));
  return read;
}

/// The indices of the texts that were not released for this reason.
void append_indices(std::string& json, const Privatized& privatized, Release reason) {
  json += '[';
  bool first = true;
  for (std::size_t i = 0; i < privatized.texts.size(); ++i) {
    if (privatized.texts[i].release != reason) continue;
    fmt::format_to(std::back_inserter(json), "{}{}", first ? "" : ",", i);
    first = false;
  }
  json += ']';
}

void append_texts(std::string& json, const ReadRequest& request, const Privatized& privatized) {
  json += R"({"texts":[)";
  for (std::size_t i = 0; i < privatized.texts.size(); ++i) {
    if (i > 0) json += ',';
    if (privatized.texts[i].release == Release::released)
      append_json(json, privatized.texts[i].text);
    else
      json += "null";
  }
  json += R"(],"ids":[)";
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    if (i > 0) json += ',';
    append_json(json, request.texts[i].id);
  }
  json += ']';
}

/// One number for one subject, an array if there may be several, null without a ledger.
void append_amounts(std::string& json, const ReadRequest& request, const Privatized& privatized,
                    NanoEpsilon Spending::*amount) {
  if (privatized.texts.empty() || !privatized.texts.front().spending) {
    json += "null";
  } else if (request.one_subject) {
    json += to_decimal((*privatized.texts.front().spending).*amount);
  } else {
    json += '[';
    for (const PrivatizedText& text : privatized.texts) {
      if (json.back() != '[') json += ',';
      json += to_decimal((*text.spending).*amount);
    }
    json += ']';
  }
}

Response privatize_answer(const ReadRequest& request, RewriteQueue& queue,
                          const Outcome<Privatized>& privatized) {
  if (!privatized) return response_of(privatized.error());
  if (request.one_text && privatized->texts.front().release == Release::refused)
    return response_of(Failure(409, "repeated", "a document came under this id before", "id"));
  std::string json;
  append_texts(json, request, *privatized);
  json += R"(,"withheld":)";
  append_indices(json, *privatized, Release::withheld);
  json += R"(,"refused":)";
  append_indices(json, *privatized, Release::refused);
  json += R"(,"unit":)";
  if (privatized->ledger)
    append_json(json, privatized->ledger->unit);
  else
    json += "null";
  json += R"(,"spent":)";
  append_amounts(json, request, *privatized, &Spending::spent);
  json += R"(,"remaining":)";
  append_amounts(json, request, *privatized, &Spending::remaining);
  json += R"(,"receipt":)";
  json += *queue.receipts().of(privatized->counts, privatized->ledger);
  json += "}\n";
  return json_response(std::move(json));
}

void privatize(ServiceState& state, const std::shared_ptr<const Request>& request, const Respond& respond) {
  auto whole = read_request(*request, state.config.limits);
  if (!whole) return respond(response_of(whole.error()));
  const std::shared_ptr<ReadRequest> read = std::move(*whole);
  const auto name = read->body.text("profile");
  if (!name) return respond(response_of(name.error()));
  const auto profile = state.profiles->find(request->caller, *name);
  if (!profile) return respond(response_of(profile.error()));
  const auto choice = (*profile)->choice(read->body);
  if (!choice) return respond(response_of(choice.error()));
  privatize_texts(
      state, request->caller, **profile, *choice, read->texts, read,
      [read](RewriteQueue& queue, const Outcome<Privatized>& privatized) {
        return privatize_answer(*read, queue, privatized);
      },
      respond);
}

}  // namespace

void add_privatize_route(Router& router) {
  router.add({"POST", "/v1/privatize", Access::key, privatize, privatize_lines});
}

}  // namespace sotto::server
