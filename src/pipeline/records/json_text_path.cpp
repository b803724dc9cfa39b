#include "pipeline/records/json_text_path.hpp"

#include "base/json.hpp"
#include "pipeline/records/field_path.hpp"

namespace sotto::pipeline {
namespace {

namespace ondemand = simdjson::ondemand;

bool leads_to_text(ondemand::value& value, std::string& pointer, std::size_t depth);

bool object_leads_to_text(ondemand::value& value, std::string& pointer, std::size_t depth) {
  ondemand::object object;
  if (value.get_object().get(object)) return false;
  const std::size_t size = pointer.size();
  for (auto member : object) {
    std::string_view key;
    ondemand::value item;
    if (member.unescaped_key().get(key) || member.value().get(item)) return false;
    append_step(pointer, key);
    if (leads_to_text(item, pointer, depth)) return true;
    pointer.resize(size);
  }
  return false;
}

/// The first element tells. An array of strings is itself a text, one of arrays is not.
bool array_leads_to_text(ondemand::value& value, std::string& pointer, std::size_t depth) {
  ondemand::array array;
  if (value.get_array().get(array)) return false;
  for (auto element : array) {
    ondemand::value item;
    ondemand::json_type type{};
    if (element.get(item) || item.type().get(type)) return false;
    if (type == ondemand::json_type::string) return true;
    append_step(pointer, kEveryElement);
    return leads_to_text(item, pointer, depth);
  }
  return false;
}

bool leads_to_text(ondemand::value& value, std::string& pointer, std::size_t depth) {
  ondemand::json_type type{};
  if (depth > base::kDeepestJson || value.type().get(type)) return false;
  if (type == ondemand::json_type::object) return object_leads_to_text(value, pointer, depth + 1);
  if (type == ondemand::json_type::array) return array_leads_to_text(value, pointer, depth + 1);
  return type == ondemand::json_type::string;
}

}  // namespace

bool append_text_path(ondemand::value& object, std::string& pointer) {
  return leads_to_text(object, pointer, 0);
}

}  // namespace sotto::pipeline
