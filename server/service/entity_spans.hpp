// Spans of a text in which an analyzer found something: a name, a number, an address.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "service/failure.hpp"

namespace sotto::server {

/// As analyzers give it: code points [start, end).
struct FoundEntity {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  double score = 0;
  std::string_view type;
};

/// Bytes [begin, end).
struct EntitySpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view type;
  double score = 0;
};

/// Spans of whole words that do not overlap, in the order of the text. A span that cuts a word takes all of
/// it. Spans that then overlap become one, of the type with the highest score; among equal scores, that of
/// the first. `tokens` are those of `text`, which is UTF-8. A failure if a span is empty or beyond the end.
Outcome<std::vector<EntitySpan>> entity_spans(std::string_view text, const std::vector<Token>& tokens,
                                              const std::vector<FoundEntity>& found);

/// The number of code points of UTF-8.
std::size_t count_code_points(std::string_view text);

}  // namespace sotto::server
