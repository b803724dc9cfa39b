// The map of strings to words: what opens answers every string with its own words, always the same.
#include "embed/word_map.hpp"

#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"
#include "support/word_map_builder.hpp"

namespace {

using namespace sotto;
using fuzz::require;

constexpr std::size_t kMostTokens = 64;
constexpr std::string_view kTokens[] = {
    "",    "soooo",    "recieve", "ThrowbackFriday", "e-mail", "@jack", "Caf\u00E9", "\xFF\xC3",
    "gr8", "theology", "a",       "\u200D\u0301",    "a.m.",   "U.S."};

struct Found {
  embed::WordPath path;
  std::string words;  // all that were offered
};

/// What is offered if candidate `accepted` is taken.
Found find(const embed::WordMap& map, std::string_view token, std::size_t accepted) {
  Found found{embed::WordPath::none, {}};
  std::size_t count = 0;
  found.path = map.find(token, [&](std::string_view word) {
    require(!word.empty(), "a candidate is a word");
    require(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz'-") == std::string_view::npos,
            "a candidate consists of plain letters");
    found.words.append(word) += ' ';
    return count++ == accepted;
  });
  require((found.path == embed::WordPath::none) == (count <= accepted),
          "a path means that a candidate was accepted");
  return found;
}

void ask(const embed::WordMap& map, std::string_view token) {
  for (const std::size_t accepted : {std::size_t{0}, std::size_t{3}, std::size_t{1} << 40}) {
    const Found first = find(map, token, accepted);
    const Found second = find(map, token, accepted);
    require(first.path == second.path && first.words == second.words, "an answer never changes");
  }
}

}  // namespace

/// The file itself.
SOTTO_FUZZ_TARGET(word_map) {
  const auto map = embed::WordMap::open(fuzz::write_scratch("word-map.safetensors", input));
  if (!map) return;
  for (const std::string_view token : kTokens) ask(**map, token);
}

/// Strings, whole and as tokens of a text.
SOTTO_FUZZ_TARGET(unknown_words) {
  static const auto kMap = fuzz::value_of(embed::WordMap::open(
      testing::write_word_map(fuzz::scratch() / "small-map.safetensors", testing::small_word_map())));
  ask(*kMap, input);
  if (!is_valid_utf8(input)) return;
  std::vector<Token> tokens;
  tokenize(input, tokens);
  for (std::size_t i = 0; i < std::min(tokens.size(), kMostTokens); ++i)
    ask(*kMap, input.substr(tokens[i].begin, tokens[i].end - tokens[i].begin));
}
