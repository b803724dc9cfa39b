// POST /anonymize: the request and the answer of Presidio's anonymizer. The profile's mechanism rewrites the
// whole text; under a profile with `outside: keep` it rewrites only what an analyzer found, and the answer's
// guarantee says so. What a client would have done with entities instead may not loosen the profile.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "service/entity_spans.hpp"
#include "service/json_writer.hpp"
#include "service/privatize_texts.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 6> kAnonymizeMembers = {
    "text", "analyzer_results", "anonymizers", "profile", "id", "subject"};
constexpr std::array<std::string_view, 6> kResultMembers = {
    "start", "end", "score", "entity_type", "analysis_explanation", "recognition_metadata"};
constexpr std::array<std::string_view, 9> kOperatorMembers = {
    "type", "new_value", "masking_char", "chars_to_mask", "from_end", "hash_type", "salt", "key", "lambda"};
constexpr std::uint64_t kLargestOffset = std::uint64_t{1} << 32;
constexpr std::string_view kOutsideKept =
    "Only what analyzer_results cover was privatized or replaced. Everything else is as it was, and what "
    "stands for an entity shows its place. For what was privatized: ";

/// What is put in the place of entities of a type.
using Constants = std::map<std::string_view, std::optional<std::string_view>>;  // none: "<TYPE>"

/// A part of the answer: an entity, or what is between two.
struct TextPart {
  std::string text;                          ///< unless it is one of the texts to privatize
  std::optional<std::size_t> index;          ///< among these
  const EntitySpan* entity = nullptr;        ///< null: none
  std::string_view operator_name = "sotto";  ///< of an entity
};

/// A request as it was read: the texts refer to it.
struct AnonymizeRequest {
  explicit AnonymizeRequest(JsonObject parsed) : body(std::move(parsed)) {}
  JsonObject body;
  std::string_view text;
  std::string id;
  std::vector<Token> tokens;
  std::vector<EntitySpan> spans;
  Constants constants;
  bool outside_keep = false;
  std::vector<TextPart> parts;   ///< with outside_keep
  std::vector<std::string> ids;  ///< of the texts
  std::vector<TextToPrivatize> texts;
};

Outcome<std::vector<FoundEntity>> read_results(const JsonObject& body, std::size_t most) {
  std::vector<FoundEntity> found;
  SOTTO_ASSIGN(const auto results, body.objects("analyzer_results", most, kResultMembers));
  if (!results) return found;
  for (const JsonObject& result : *results) {
    SOTTO_ASSIGN(const auto start, result.integer("start", 0, kLargestOffset));
    SOTTO_ASSIGN(const auto end, result.integer("end", 0, kLargestOffset));
    SOTTO_ASSIGN(const auto score, result.number("score"));
    SOTTO_ASSIGN(const auto type, result.text("entity_type"));
    if (!start || !end || !type || type->empty())
      return unprocessable("each of analyzer_results needs start, end and entity_type", "analyzer_results");
    found.push_back({*start, *end, score.value_or(0), *type});
  }
  return found;
}

/// A constant shows that an entity stood there, and of which type. That is no news where all else is kept,
/// but it is more than the mechanism shows. Everything else shows something of the entity itself.
Outcome<Constants> read_constants(const JsonObject& body, std::size_t most, bool outside_keep) {
  Constants constants;
  SOTTO_ASSIGN(const auto operators, body.objects_by_name("anonymizers", most, kOperatorMembers));
  for (const auto& [entity_type, settings] : operators) {
    SOTTO_ASSIGN(const auto type, settings.text("type"));
    SOTTO_ASSIGN(const auto new_value, settings.text("new_value"));
    if (!outside_keep)
      return unprocessable("an anonymizer would show where entities are; this profile does not allow that",
                           "anonymizers");
    if (type != "replace" && type != "redact")
      return unprocessable("an anonymizer must be replace or redact; others show something of the entity",
                           "anonymizers");
    constants[entity_type] = type == "redact" ? std::optional<std::string_view>("") : new_value;
  }
  return constants;
}

/// The constant for an entity, if it gets one.
std::optional<std::string> constant_for(const Constants& constants, std::string_view type) {
  auto found = constants.find(type);
  if (found == constants.end()) found = constants.find("DEFAULT");
  if (found == constants.end()) return std::nullopt;
  return found->second ? std::string(*found->second) : fmt::format("<{}>", type);
}

/// Splits the text into what is kept and what is not.
void split_text(AnonymizeRequest& request) {
  std::size_t done = 0;
  const auto keep_until = [&](std::size_t end) {
    if (end > done) request.parts.push_back({std::string(request.text.substr(done, end - done)), {}, {}, {}});
  };
  for (const EntitySpan& span : request.spans) {
    keep_until(span.begin);
    done = span.end;
    TextPart& part = request.parts.emplace_back();
    part.entity = &span;
    if (auto constant = constant_for(request.constants, span.type)) {
      part.operator_name = constant->empty() ? "redact" : "replace";
      part.text = std::move(*constant);
    } else {
      part.index = request.texts.size();
      request.texts.push_back({request.text.substr(span.begin, span.end - span.begin), {}, {}});
    }
  }
  keep_until(request.text.size());
}

Outcome<void> read_texts(AnonymizeRequest& request, const Limits& limits, const Profile& profile) {
  SOTTO_ASSIGN(const auto text, request.body.text("text"));
  if (!text) return unprocessable("text is missing", "text");
  if (text->size() > limits.document_bytes)
    return unprocessable(fmt::format("text has more than {} bytes", limits.document_bytes), "text");
  request.text = *text;
  tokenize(request.text, request.tokens);
  SOTTO_ASSIGN(const auto found, read_results(request.body, limits.texts));
  SOTTO_ASSIGN(request.spans, entity_spans(request.text, request.tokens, found));
  request.outside_keep = profile.outside_keep;
  SOTTO_ASSIGN(request.constants, read_constants(request.body, limits.texts, request.outside_keep));
  if (request.outside_keep)
    split_text(request);
  else
    request.texts.push_back({request.text, {}, {}});
  return {};
}

/// Entities of one text are documents of their own: "ID/0", "ID/1" and so on.
Outcome<void> name_texts(AnonymizeRequest& request) {
  SOTTO_ASSIGN(const auto id, request.body.text("id"));
  SOTTO_ASSIGN(const auto subject, request.body.text("subject"));
  if (id && id->empty()) return unprocessable("id is empty", "id");
  request.id = id ? std::string(*id) : fresh_ids(1).front();
  for (std::size_t i = 0; i < request.texts.size(); ++i)
    request.ids.push_back(request.outside_keep ? fmt::format("{}/{}", request.id, i) : request.id);
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    request.texts[i].id = request.ids[i];
    request.texts[i].subject = subject.value_or(std::string_view());
  }
  return {};
}

struct AnswerItem {
  const EntitySpan* entity;
  std::string_view operator_name;
  std::size_t begin;  ///< in the answer's bytes
  std::size_t end;
};

struct AnswerText {
  std::string text;
  std::vector<AnswerItem> items;
};

AnswerText joined_parts(const AnonymizeRequest& request, const Privatized& privatized) {
  AnswerText answer;
  for (const TextPart& part : request.parts) {
    const std::size_t begin = answer.text.size();
    answer.text += part.index ? privatized.texts[*part.index].text : part.text;
    if (part.entity != nullptr)
      answer.items.push_back({part.entity, part.operator_name, begin, answer.text.size()});
  }
  return answer;
}

/// Entities can be found again only if words became words, one by one.
AnswerText whole_text(const AnonymizeRequest& request, const Privatized& privatized) {
  AnswerText answer{privatized.texts.front().text, {}};
  std::vector<Token> after;
  tokenize(answer.text, after);
  if (after.size() != request.tokens.size()) return answer;
  for (const EntitySpan& span : request.spans) {
    const auto first = std::partition_point(request.tokens.begin(), request.tokens.end(),
                                            [&](const Token& token) { return token.begin < span.begin; });
    const auto last = std::partition_point(first, request.tokens.end(),
                                           [&](const Token& token) { return token.begin < span.end; });
    if (first == last) continue;  // only blanks
    const auto begin = after.begin() + (first - request.tokens.begin());
    const auto end = after.begin() + (last - request.tokens.begin());
    answer.items.push_back({&span, "sotto", begin->begin, std::prev(end)->end});
  }
  return answer;
}

/// As Presidio lists them: the last first, in code points.
void append_items(std::string& json, const AnswerText& answer) {
  const std::string_view text(answer.text);
  std::vector<std::string> items;
  std::size_t code_points = 0;
  std::size_t counted = 0;  // bytes
  for (const AnswerItem& item : answer.items) {
    const std::string_view entity = text.substr(item.begin, item.end - item.begin);
    code_points += count_code_points(text.substr(counted, item.begin - counted));
    counted = item.begin;
    std::string& one = items.emplace_back(fmt::format(R"({{"start":{},"end":{},"entity_type":)", code_points,
                                                      code_points + count_code_points(entity)));
    append_json(one, item.entity->type);
    one += R"(,"text":)";
    append_json(one, entity);
    one += R"(,"operator":)";
    append_json(one, item.operator_name);
    one += fmt::format(R"(,"score":{}}})", item.entity->score);
  }
  std::reverse(items.begin(), items.end());
  json += fmt::format(R"(,"items":[{}])", fmt::join(items, ","));
}

Response anonymize_answer(const AnonymizeRequest& request, RewriteQueue& queue,
                          const Outcome<Privatized>& privatized) {
  if (!privatized) return response_of(privatized.error());
  for (const PrivatizedText& text : privatized->texts) {
    if (text.release == Release::refused)
      return response_of(Failure(409, "unprocessable", "a document came under this id before", "id"));
    if (text.release == Release::withheld)
      return response_of(Failure(403, "limit", "the subject's limit does not allow this text", "subject"));
  }
  const AnswerText answer =
      request.outside_keep ? joined_parts(request, *privatized) : whole_text(request, *privatized);
  std::string json = R"({"text":)";
  append_json(json, answer.text);
  append_items(json, answer);
  json += R"(,"id":)";
  append_json(json, request.id);
  json += R"(,"guarantee":)";
  const std::string statement = queue.privatizer().receipt(privatized->counts).guarantee.statement;
  append_json(json, request.outside_keep ? std::string(kOutsideKept) + statement : statement);
  json += R"(,"receipt":)";
  json += *queue.receipts().of(privatized->counts, privatized->ledger);
  return json_response(json + "}\n");
}

Outcome<std::shared_ptr<AnonymizeRequest>> read_anonymize_request(ServiceState& state, const Request& request,
                                                                  OpenProfile*& profile) {
  SOTTO_ASSIGN(auto body, JsonObject::parse(request.body, kAnonymizeMembers));
  auto read = std::make_shared<AnonymizeRequest>(std::move(body));
  SOTTO_ASSIGN(const auto name, read->body.text("profile"));
  SOTTO_ASSIGN(profile, state.profiles->find(request.caller, name));
  SOTTO_TRY(read_texts(*read, state.config.limits, profile->profile()));
  SOTTO_TRY(name_texts(*read));
  return read;
}

void anonymize(ServiceState& state, const std::shared_ptr<const Request>& request, const Respond& respond) {
  OpenProfile* profile = nullptr;
  auto whole = read_anonymize_request(state, *request, profile);
  if (!whole) return respond(response_of(whole.error()));
  const std::shared_ptr<AnonymizeRequest> read = std::move(*whole);
  privatize_texts(
      state, request->caller, *profile, std::nullopt, read->texts, read,
      [read](RewriteQueue& queue, const Outcome<Privatized>& privatized) {
        return anonymize_answer(*read, queue, privatized);
      },
      respond);
}

}  // namespace

void add_presidio_route(Router& router) {
  router.add({"POST", "/anonymize", Access::key, anonymize});
}

}  // namespace sotto::server
