#include "service/json_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

namespace sotto::server {

using simdjson::dom::element;
using simdjson::dom::element_type;

struct JsonObject::Parsed {
  std::shared_ptr<simdjson::dom::parser> parser;  // owns what the object refers to
  simdjson::dom::object object;
};

namespace {

std::string listed(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

tl::unexpected<Failure> wrong_type(std::string_view name, std::string_view wanted) {
  return unprocessable(fmt::format("{} must be {}", name, wanted), name);
}

/// A repeated member means one thing to one reader and another to the next.
bool has_repeats(const simdjson::dom::object& object);

bool has_repeats_inside(const element& value) {
  if (value.type() == element_type::OBJECT) return has_repeats(value.get_object().value_unsafe());
  if (value.type() != element_type::ARRAY) return false;
  const simdjson::dom::array array = value.get_array().value_unsafe();
  return std::any_of(array.begin(), array.end(), has_repeats_inside);
}

bool has_repeats(const simdjson::dom::object& object) {
  std::vector<std::string_view> names;
  for (const auto& member : object) {
    names.push_back(member.key);
    if (has_repeats_inside(member.value)) return true;
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

Outcome<void> check_members(const simdjson::dom::object& object, std::span<const std::string_view> known) {
  for (const auto& member : object)
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      return unprocessable(fmt::format("there is an unknown member; known are {}", listed(known)));
  return {};
}

std::optional<element> find(const simdjson::dom::object& object, std::string_view name) {
  for (const auto& member : object)
    if (member.key == name && !member.value.is_null()) return member.value;
  return std::nullopt;
}

}  // namespace

JsonObject::JsonObject(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;
JsonObject::~JsonObject() = default;

Outcome<JsonObject> JsonObject::parse(std::string_view json, std::span<const std::string_view> known) {
  auto parser = std::make_shared<simdjson::dom::parser>();
  const auto bad_format = [](std::string_view why) {
    return tl::unexpected(Failure(400, "bad_format", why));
  };
  if (json.empty()) return bad_format("the body is empty; it must be a JSON object");
  if (parser->allocate(json.size(), kDeepestRequest) != simdjson::SUCCESS)
    return unavailable("there is no memory for this request");
  element root;
  if (const auto error = parser->parse(json.data(), json.size()).get(root); error != simdjson::SUCCESS)
    return bad_format(fmt::format("the body is not JSON: {}", simdjson::error_message(error)));
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) return bad_format("the body must be a JSON object");
  if (has_repeats(object)) return bad_format("an object has two members of the same name");
  SOTTO_TRY(check_members(object, known));
  return JsonObject(std::make_shared<const Parsed>(Parsed{std::move(parser), object}));
}

bool JsonObject::has(std::string_view name) const {
  return find(parsed_->object, name).has_value();
}

Outcome<std::optional<std::string_view>> JsonObject::text(std::string_view name) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  std::string_view text;
  if (value->get_string().get(text) != simdjson::SUCCESS) return wrong_type(name, "a string");
  return text;
}

Outcome<std::optional<std::vector<std::string_view>>> JsonObject::texts(std::string_view name,
                                                                        std::size_t most) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  simdjson::dom::array array;
  if (value->get_array().get(array) != simdjson::SUCCESS) return wrong_type(name, "an array of strings");
  std::vector<std::string_view> texts;
  for (const element item : array) {
    if (texts.size() == most)
      return unprocessable(fmt::format("{} has more than {} elements", name, most), name);
    if (item.get_string().get(texts.emplace_back()) != simdjson::SUCCESS)
      return unprocessable(fmt::format("{}[{}] must be a string", name, texts.size() - 1), name);
  }
  return texts;
}

Outcome<std::optional<double>> JsonObject::number(std::string_view name) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  double number = 0;
  if (value->get_double().get(number) != simdjson::SUCCESS) return wrong_type(name, "a number");
  return number;
}

Outcome<std::optional<std::vector<double>>> JsonObject::numbers(std::string_view name,
                                                                std::size_t most) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  simdjson::dom::array array;
  if (value->get_array().get(array) != simdjson::SUCCESS) return wrong_type(name, "an array of numbers");
  std::vector<double> numbers;
  for (const element item : array) {
    if (numbers.size() == most)
      return unprocessable(fmt::format("{} has more than {} elements", name, most), name);
    if (item.get_double().get(numbers.emplace_back()) != simdjson::SUCCESS)
      return unprocessable(fmt::format("{}[{}] must be a number", name, numbers.size() - 1), name);
  }
  return numbers;
}

Outcome<std::optional<bool>> JsonObject::boolean(std::string_view name) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  bool boolean = false;
  if (value->get_bool().get(boolean) != simdjson::SUCCESS) return wrong_type(name, "true or false");
  return boolean;
}

Outcome<std::optional<std::uint64_t>> JsonObject::integer(std::string_view name, std::uint64_t low,
                                                          std::uint64_t high) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  std::uint64_t number = 0;
  if (value->get_uint64().get(number) != simdjson::SUCCESS || number < low || number > high)
    return wrong_type(name, fmt::format("a whole number from {} to {}", low, high));
  return number;
}

Outcome<std::vector<std::pair<std::string_view, std::string>>> JsonObject::settings(
    std::string_view name) const {
  std::vector<std::pair<std::string_view, std::string>> settings;
  const auto value = find(parsed_->object, name);
  if (!value) return settings;
  simdjson::dom::object object;
  if (value->get_object().get(object) != simdjson::SUCCESS) return wrong_type(name, "an object");
  for (const auto& member : object) {
    std::string_view text;
    if (member.value.is_array() || member.value.is_object() || member.value.is_null())
      return wrong_type(name, "an object of strings, numbers and booleans");
    if (member.value.get_string().get(text) == simdjson::SUCCESS)
      settings.emplace_back(member.key, text);
    else
      settings.emplace_back(member.key, simdjson::minify(member.value));
  }
  return settings;
}

Outcome<std::optional<std::vector<JsonObject>>> JsonObject::objects(
    std::string_view name, std::size_t most, std::span<const std::string_view> known) const {
  const auto value = find(parsed_->object, name);
  if (!value) return std::nullopt;
  simdjson::dom::array array;
  if (value->get_array().get(array) != simdjson::SUCCESS) return wrong_type(name, "an array of objects");
  std::vector<JsonObject> objects;
  for (const element item : array) {
    if (objects.size() == most)
      return unprocessable(fmt::format("{} has more than {} elements", name, most), name);
    simdjson::dom::object object;
    if (item.get_object().get(object) != simdjson::SUCCESS)
      return unprocessable(fmt::format("{}[{}] must be an object", name, objects.size()), name);
    SOTTO_TRY(check_members(object, known));
    objects.push_back(JsonObject(std::make_shared<const Parsed>(Parsed{parsed_->parser, object})));
  }
  return objects;
}

Outcome<std::vector<std::pair<std::string_view, JsonObject>>> JsonObject::objects_by_name(
    std::string_view name, std::size_t most, std::span<const std::string_view> known) const {
  std::vector<std::pair<std::string_view, JsonObject>> objects;
  const auto value = find(parsed_->object, name);
  if (!value) return objects;
  simdjson::dom::object all;
  if (value->get_object().get(all) != simdjson::SUCCESS) return wrong_type(name, "an object of objects");
  for (const auto& member : all) {
    if (objects.size() == most)
      return unprocessable(fmt::format("{} has more than {} members", name, most), name);
    simdjson::dom::object object;
    if (member.value.get_object().get(object) != simdjson::SUCCESS)
      return wrong_type(name, "an object of objects");
    SOTTO_TRY(check_members(object, known));
    objects.emplace_back(member.key,
                         JsonObject(std::make_shared<const Parsed>(Parsed{parsed_->parser, object})));
  }
  return objects;
}

std::string JsonObject::json(std::string_view name) const {
  const auto value = find(parsed_->object, name);
  return value ? simdjson::minify(*value) : std::string();
}

std::string JsonObject::json_without(std::span<const std::string_view> names) const {
  std::string json = "{";
  for (const auto& member : parsed_->object) {
    if (member.value.is_null() || std::find(names.begin(), names.end(), member.key) != names.end()) continue;
    // A known name needs no escapes.
    json +=
        fmt::format("{}\"{}\":{}", json.size() > 1 ? "," : "", member.key, simdjson::minify(member.value));
  }
  return json + "}";
}

}  // namespace sotto::server
