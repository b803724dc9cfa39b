#include "service/query.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <sotto/text_values.hpp>

#include "service/json_writer.hpp"

namespace sotto::server {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Outcome<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const bool is_whole = i + 2 < text.size();
    const int high = is_whole ? digit(text[i + 1]) : -1;
    const int low = is_whole ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return tl::unexpected(Failure(400, "bad_format", "the query has a '%' without two hexadecimal digits"));
    plain += static_cast<char>(16 * high + low);
    i += 2;
  }
  return plain;
}

}  // namespace

Outcome<JsonObject> object_of_query(std::string_view query, std::span<const std::string_view> known,
                                    std::span<const std::string_view> numbers) {
  std::string json = "{";
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = pair.find('=');
    SOTTO_ASSIGN(const std::string name, decoded(pair.substr(0, equals)));
    SOTTO_ASSIGN(const std::string value,
                 decoded(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1)));
    if (json.size() > 1) json += ',';
    append_json(json, name);
    json += ':';
    if (std::find(numbers.begin(), numbers.end(), name) != numbers.end()) {
      constexpr double kLargest = std::numeric_limits<double>::max();
      SOTTO_ASSIGN(const double number, read_number(name, value, -kLargest, kLargest));
      json += fmt::format("{}", number);
    } else {
      append_json(json, value);
    }
  }
  return JsonObject::parse(json + "}", known);
}

}  // namespace sotto::server
