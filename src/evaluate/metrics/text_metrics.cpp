#include "evaluate/metrics/text_metrics.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include <sotto/tokenizer.hpp>

#include "text/letter_case.hpp"
#include "text/wordnet.hpp"

namespace sotto::evaluate {
namespace {

/// Calls use(token class, token in lower case) for each token.
template <class Use>
void for_each_token(std::string_view text, const Use& use) {
  std::string repaired;
  if (!is_valid_utf8(text)) {
    std::uint64_t replaced = 0;
    text = repaired = replace_invalid_utf8(text, replaced);
  }
  std::vector<Token> tokens;
  tokenize(text, tokens);
  for (const Token& token : tokens)
    use(token.token_class, text::lookup_form(text.substr(token.begin, token.end - token.begin)));
}

/// The length of a longest common subsequence. Hunt and Szymanski: the longest chain, increasing on both
/// sides, among the pairs of positions with equal words.
std::size_t common_subsequence(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  for (std::size_t j = b.size(); j-- > 0;) places[b[j]].push_back(j);
  std::vector<std::size_t> ends;  // ends[k]: the smallest position in b where a chain of k + 1 pairs ends
  for (const std::string& word : a) {
    const auto found = places.find(word);
    if (found == places.end()) continue;
    for (const std::size_t place : found->second) {  // from the last one, so that a word is used once
      const auto end = std::lower_bound(ends.begin(), ends.end(), place);
      if (end == ends.end())
        ends.push_back(place);
      else
        *end = place;
    }
  }
  return ends.size();
}

std::size_t equal_places(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal;
}

std::uint64_t count_tokens(std::string_view text) {
  std::uint64_t count = 0;
  for_each_token(text, [&](TokenClass, const std::string&) { ++count; });
  return count;
}

double mean(double sum, std::uint64_t count, double none) {
  return count == 0 ? none : sum / static_cast<double>(count);
}

struct Occurrences {
  std::uint64_t count = 0;
  bool survives = false;
};

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for_each_token(text, [&](TokenClass token_class, std::string word) {
    if (token_class != TokenClass::punctuation) words.push_back(std::move(word));
  });
  return words;
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for_each_token(text, [&](TokenClass, std::string token) { tokens.push_back(std::move(token)); });
  return tokens;
}

Share perturbed_words(const RewrittenText& pair) {
  const std::vector<std::string> original = words_of(pair.original);
  const std::vector<std::string> privatized = words_of(pair.privatized);
  const std::size_t kept = original.size() == privatized.size() ? equal_places(original, privatized)
                                                                : common_subsequence(original, privatized);
  return {original.size() - kept, original.size()};
}

double LengthChange::mean_absolute_change() const {
  return mean(static_cast<double>(absolute_change), texts, 0);
}

double LengthChange::length_ratio() const {
  return mean(static_cast<double>(privatized_tokens), original_tokens, 1);
}

LengthChange& LengthChange::operator+=(const LengthChange& other) {
  texts += other.texts;
  original_tokens += other.original_tokens;
  privatized_tokens += other.privatized_tokens;
  absolute_change += other.absolute_change;
  return *this;
}

LengthChange length_change(const RewrittenText& pair) {
  const std::uint64_t before = count_tokens(pair.original);
  const std::uint64_t after = count_tokens(pair.privatized);
  return {1, before, after, before < after ? after - before : before - after};
}

double least_occurring_words(std::span<const std::string> originals, std::span<const std::string> privatized,
                             std::size_t k) {
  std::unordered_map<std::string, Occurrences> words;
  for (const std::string& text : originals)
    for (std::string& word : words_of(text)) ++words[std::move(word)].count;
  for (const std::string& text : privatized)
    for (const std::string& word : words_of(text))
      if (const auto found = words.find(word); found != words.end()) found->second.survives = true;

  std::vector<Occurrences> order;
  order.reserve(words.size());
  for (const auto& [word, occurrences] : words) order.push_back(occurrences);
  k = std::min(k, order.size());
  if (k == 0) return 0;
  std::sort(order.begin(), order.end(),
            [](const Occurrences& a, const Occurrences& b) { return a.count < b.count; });
  const std::uint64_t last_count = order[k - 1].count;
  double surviving = 0;
  Share tied;
  std::size_t rarer = 0;
  for (const Occurrences& word : order) {
    if (word.count > last_count) break;
    if (word.count == last_count) {
      tied += {word.survives ? 1U : 0U, 1};
    } else {
      ++rarer;
      surviving += word.survives ? 1 : 0;
    }
  }
  return (surviving + static_cast<double>(k - rarer) * tied.value()) / static_cast<double>(k);
}

WordTest word_test(const Model& model) {
  return [&model](std::string_view word) { return model.find(word) != model.bottom(); };
}

WordTest word_test(const text::WordNet& wordnet) {
  return [&wordnet](std::string_view word) {
    if (is_stopword(word)) return true;
    constexpr std::array kParts = {text::PartOfSpeech::noun, text::PartOfSpeech::verb,
                                   text::PartOfSpeech::adjective, text::PartOfSpeech::adverb};
    return std::any_of(kParts.begin(), kParts.end(),
                       [&](text::PartOfSpeech part) { return !wordnet.base_forms(word, part).empty(); });
  };
}

WordTest word_test(std::span<const std::string> words) {
  auto set = std::make_shared<std::unordered_set<std::string>>();
  for (const std::string& word : words) set->insert(text::lookup_form(word));
  return [set = std::move(set)](std::string_view word) { return set->contains(std::string(word)); };
}

Share known_words(std::string_view text, const WordTest& test) {
  Share share;
  for_each_token(text, [&](TokenClass token_class, const std::string& word) {
    if (token_class == TokenClass::punctuation || token_class == TokenClass::number) return;
    share += {test(word) ? 1U : 0U, 1};
  });
  return share;
}

}  // namespace sotto::evaluate
