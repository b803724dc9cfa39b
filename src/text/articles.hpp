// "a" or "an" before the next word of an output. Reads nothing but the output.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "text/output_buffer.hpp"

namespace sotto::text {

/// Whether a word, or a number in digits, takes "an": by its first letter, but for the words and initialisms
/// listed in articles.cpp (hour, university, FBI). `word` is a word as it is written.
bool takes_an(std::string_view word);

/// Whether the last word of `text` is "a" or "an", in any case.
bool ends_in_article(std::string_view text);

/// Makes the articles that end at `ends`, ascending positions in `out`, agree with what follows them after
/// blanks. An article before punctuation, a line end or the end of the text stays.
void agree_articles(OutputBuffer& out, std::span<const std::size_t> ends);

}  // namespace sotto::text
