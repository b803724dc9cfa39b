#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <sotto/tokenizer.hpp>

namespace sotto {
namespace {

constexpr std::string_view kStopwords[] = {
    // pronouns and determiners
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your", "yours",
    "yourself", "yourselves", "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its",
    "itself", "they", "them", "their", "theirs", "themselves", "a", "an", "the", "this", "that", "these",
    "those", "what", "which", "who", "whom", "whose", "each", "every", "both", "all", "any", "some", "few",
    "more", "most", "other", "such", "same", "own", "no",
    // verbs that carry grammar rather than meaning
    "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "having", "do", "does",
    "did", "doing", "will", "would", "shall", "should", "can", "could", "may", "might", "must",
    // prepositions
    "about", "above", "after", "against", "at", "before", "below", "between", "by", "down", "during", "for",
    "from", "in", "into", "of", "off", "on", "out", "over", "since", "through", "to", "under", "until", "up",
    "with", "within", "without",
    // conjunctions and adverbs
    "and", "but", "or", "nor", "so", "if", "then", "than", "because", "as", "while", "though", "whether",
    "when", "where", "why", "how", "here", "there", "again", "further", "once", "only", "just", "not", "too",
    "very", "now", "also",
    // contractions
    "i'm", "i've", "i'd", "i'll", "you're", "you've", "you'd", "you'll", "he's", "he'd", "he'll", "she's",
    "she'd", "she'll", "it's", "it'll", "we're", "we've", "we'd", "we'll", "they're", "they've", "they'd",
    "they'll", "that's", "that'll", "who's", "what's", "where's", "why's", "how's", "here's", "there's",
    "let's", "isn't", "aren't", "wasn't", "weren't", "hasn't", "haven't", "hadn't", "doesn't", "don't",
    "didn't", "won't", "wouldn't", "shan't", "shouldn't", "can't", "cannot", "couldn't", "mightn't",
    "mustn't", "needn't", "ain't"};

constexpr std::size_t kSlots = 1024;  // about a quarter full

constexpr std::size_t kLongest = std::ranges::max(kStopwords, {}, &std::string_view::size).size();

constexpr std::size_t slot_of(std::string_view word) {
  std::uint32_t hash = 0;
  for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
  return (hash * 0x9E3779B1U) >> 22;
}

/// Open addressing with linear probing; an empty slot ends a search.
constexpr auto kTable = [] {
  std::array<std::string_view, kSlots> table{};
  for (const std::string_view word : kStopwords) {
    std::size_t slot = slot_of(word);
    while (!table[slot].empty()) slot = (slot + 1) % kSlots;
    table[slot] = word;
  }
  return table;
}();

}  // namespace

bool is_stopword(std::string_view lower_case_word) {
  if (lower_case_word.empty() || lower_case_word.size() > kLongest) return false;
  for (std::size_t slot = slot_of(lower_case_word); !kTable[slot].empty(); slot = (slot + 1) % kSlots)
    if (kTable[slot] == lower_case_word) return true;
  return false;
}

}  // namespace sotto
