#include "lm/tokenizer/json_file.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"

namespace sotto::lm {

Result<Json> read_json_object(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const std::string text, base::read_file(file));
  Json json = base::parse_json(text);
  if (json.is_discarded())
    return fail(Errc::bad_format, fmt::format("{}: not valid JSON, or nested too deeply", file.string()));
  if (!json.is_object())
    return fail(Errc::bad_format, fmt::format("{}: the JSON is not an object", file.string()));
  return json;
}

Result<Json> read_optional_json_object(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Json::object();
  return read_json_object(file);
}

const Json* JsonView::find(std::string_view field) const {
  const auto found = object_->find(field);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

tl::unexpected<Error> JsonView::wrong(std::string_view field, std::string_view problem) const {
  return fail(Errc::bad_format, fmt::format("{}: {} {}", place_, field, problem));
}

Result<bool> JsonView::boolean(std::string_view field, bool missing) const {
  const Json* value = find(field);
  if (value == nullptr) return missing;
  if (!value->is_boolean()) return wrong(field, "is neither true nor false");
  return value->get<bool>();
}

Result<std::string> JsonView::string(std::string_view field, std::string_view missing) const {
  const Json* value = find(field);
  if (value == nullptr) return std::string(missing);
  if (!value->is_string()) return wrong(field, "is not a string");
  return value->get<std::string>();
}

Result<std::uint32_t> JsonView::natural(std::string_view field) const {
  const Json* value = find(field);
  if (value == nullptr) return wrong(field, "is missing");
  if (!value->is_number_unsigned() ||
      value->get<std::uint64_t>() >= std::numeric_limits<std::uint32_t>::max())
    return wrong(field, "is not a whole number from 0 to 4294967294");
  return static_cast<std::uint32_t>(value->get<std::uint64_t>());
}

Result<JsonView> JsonView::object(std::string_view field) const {
  const Json* value = find(field);
  if (value == nullptr) return wrong(field, "is missing");
  if (!value->is_object()) return wrong(field, "is not an object");
  return JsonView(*value, fmt::format("{}: {}", place_, field));
}

}  // namespace sotto::lm
