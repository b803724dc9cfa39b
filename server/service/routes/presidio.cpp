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
  std::string text;                          ///< unless it is privatized
  std::optional<std::size_t> line;           ///< then: of the privatized document
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
  std::vector<TextPart> parts;  ///< with outside_keep
  /// With outside_keep: a line for each entity. One document, so that all of it is charged and released or
  /// nothing, and so that its id is used up by whatever spans come with it.
  std::string entities;
  std::size_t lines = 0;
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

void add_entity(AnonymizeRequest& request, const EntitySpan& span, TextPart& part) {
  std::string line(request.text.substr(span.begin, span.end - span.begin));
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (request.lines > 0) request.entities += '\n';
  request.entities += line;
  part.line = request.lines++;
}

/// Splits the text into what is kept and what is not. The constants may be up to `most` bytes together: a
/// short request could otherwise ask for a long one many times.
Outcome<void> split_text(AnonymizeRequest& request, std::size_t most) {
  std::size_t done = 0;
  std::size_t constants = 0;
  const auto keep_until = [&](std::size_t end) {
    if (end > done) request.parts.push_back({std::string(request.text.substr(done, end - done)), {}, {}, {}});
  };
  for (const EntitySpan& span : request.spans) {
    keep_until(span.begin);
    done = span.end;
    TextPart& part = request.parts.emplace_back();
    part.entity = &span;
    auto constant = constant_for(request.constants, span.type);
    if (!constant) {
      add_entity(request, span, part);
      continue;
    }
    constants += constant->size();
    if (constants > most)
      return unprocessable(fmt::format("the new values would have more than {} bytes together", most),
                           "anonymizers");
    part.operator_name = constant->empty() ? "redact" : "replace";
    part.text = std::move(*constant);
  }
  keep_until(request.text.size());
  return {};
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
  if (request.outside_keep) return split_text(request, limits.document_bytes);
  return {};
}

/// What is privatized: the whole text, or its entities. Without entities it is empty, and takes the id all
/// the same.
Outcome<std::vector<TextToPrivatize>> document_of(AnonymizeRequest& request) {
  SOTTO_ASSIGN(const auto id, request.body.text("id"));
  SOTTO_ASSIGN(const auto subject, request.body.text("subject"));
  if (id && id->empty()) return unprocessable("id is empty", "id");
  if (subject && subject->empty()) return unprocessable("subject is empty", "subject");
  request.id = id ? std::string(*id) : fresh_ids(1).front();
  const std::string_view text = request.outside_keep ? std::string_view(request.entities) : request.text;
  return std::vector<TextToPrivatize>{{text, request.id, subject.value_or(std::string_view())}};
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

/// Empty: the mechanism did not keep to the lines, so nobody knows what belongs where.
std::optional<std::vector<std::string_view>> lines_of(std::string_view text, std::size_t expected) {
  std::vector<std::string_view> lines;
  while (lines.size() < expected) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (end == std::string_view::npos) break;
  }
  if (lines.size() != expected || !text.empty()) return std::nullopt;
  return lines;
}

std::optional<AnswerText> joined_parts(const AnonymizeRequest& request, const Privatized& privatized) {
  const auto lines = lines_of(privatized.texts.front().text, request.lines);
  if (!lines) return std::nullopt;
  AnswerText answer;
  for (const TextPart& part : request.parts) {
    const std::size_t begin = answer.text.size();
    answer.text += part.line ? (*lines)[*part.line] : std::string_view(part.text);
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
  const Release release = privatized->texts.front().release;
  if (release == Release::refused)
    return response_of(Failure(409, "repeated", "a document came under this id before", "id"));
  if (release == Release::withheld)
    return response_of(Failure(403, "limit", "the subject's limit does not allow this text", "subject"));
  const std::optional<AnswerText> answer =
      request.outside_keep ? joined_parts(request, *privatized) : whole_text(request, *privatized);
  if (!answer) return response_of(unavailable("the mechanism did not keep the entities apart").value());
  std::string json = R"({"text":)";
  append_json(json, answer->text);
  append_items(json, *answer);
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
  return read;
}

void anonymize(ServiceState& state, const std::shared_ptr<const Request>& request, const Respond& respond) {
  OpenProfile* profile = nullptr;
  auto whole = read_anonymize_request(state, *request, profile);
  if (!whole) return respond(response_of(whole.error()));
  const std::shared_ptr<AnonymizeRequest> read = std::move(*whole);
  auto document = document_of(*read);
  if (!document) return respond(response_of(document.error()));
  privatize_texts(
      state, request->caller, *profile, std::nullopt, std::move(*document), read,
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
