// JSON from files, which may be hostile, and JSON as text. Sotto parses JSON into trees only here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sotto::base {

/// The maximum nesting depth of arrays and objects. Code that walks a tree is recursive, so a file must not
/// decide how deep.
inline constexpr std::size_t kDeepestJson = 256;

/// Whether `text`, as far as it is JSON, nests deeper than kDeepestJson.
bool nests_too_deeply(std::string_view text);

/// The value, or a discarded one if `text` is not JSON or nests deeper than kDeepestJson.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (nests_too_deeply(text)) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// As JSON on several lines, ending with a newline. Names of files and fields need not be UTF-8; invalid
/// sequences become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

/// The same on one line.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace sotto::base
