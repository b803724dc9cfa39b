#include "service/entity_spans.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sotto::server {
namespace {

bool begins_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Where each code point begins; also the end of the text.
std::vector<std::size_t> code_point_offsets(std::string_view text) {
  std::vector<std::size_t> offsets;
  for (std::size_t byte = 0; byte < text.size(); ++byte)
    if (begins_code_point(text[byte])) offsets.push_back(byte);
  offsets.push_back(text.size());
  return offsets;
}

void take_whole_words(const std::vector<Token>& tokens, EntitySpan& span) {
  const auto first = std::partition_point(tokens.begin(), tokens.end(),
                                          [&](const Token& token) { return token.end <= span.begin; });
  const auto last =
      std::partition_point(first, tokens.end(), [&](const Token& token) { return token.begin < span.end; });
  if (first == last) return;
  span.begin = std::min<std::size_t>(span.begin, first->begin);
  span.end = std::max<std::size_t>(span.end, std::prev(last)->end);
}

}  // namespace

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

Outcome<std::vector<EntitySpan>> entity_spans(std::string_view text, const std::vector<Token>& tokens,
                                              const std::vector<FoundEntity>& found) {
  const std::vector<std::size_t> offsets = code_point_offsets(text);
  std::vector<EntitySpan> spans;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].start >= found[i].end || found[i].end >= offsets.size())
      return unprocessable(
          fmt::format("analyzer_results[{}] is not a span of the text, which has {} code points", i,
                      offsets.size() - 1),
          "analyzer_results");
    spans.push_back({offsets[found[i].start], offsets[found[i].end], found[i].type, found[i].score});
    take_whole_words(tokens, spans.back());
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const EntitySpan& a, const EntitySpan& b) { return a.begin < b.begin; });
  std::vector<EntitySpan> apart;
  for (const EntitySpan& next : spans) {
    if (apart.empty() || next.begin >= apart.back().end) {
      apart.push_back(next);
      continue;
    }
    EntitySpan& joined = apart.back();
    joined.end = std::max(joined.end, next.end);
    if (next.score > joined.score) {
      joined.type = next.type;
      joined.score = next.score;
    }
  }
  return apart;
}

}  // namespace sotto::server
