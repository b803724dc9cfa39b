#include "train/token_vocabulary.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "collocation/phrase_table.hpp"

namespace sotto::train {
namespace {

struct Candidate {
  std::string text;
  std::uint64_t count;
  PhraseId phrase;  // kNoPhrase for a word

  bool operator<(const Candidate& other) const {
    return count != other.count ? count > other.count : text < other.text;
  }
};

class Choice {
 public:
  Choice(TokenCounts counts, const PhraseTable* table, const VocabularyRules& rules)
      : counts_(std::move(counts)),
        table_(table),
        rules_(rules),
        open_(counts_.phrase_counts().size(), true) {}

  TokenVocabulary choose() {
    drop_phrases([this](PhraseId phrase) { return is_allowed(phrase); });
    std::vector<Candidate> chosen = candidates();
    if (rules_.limit > 0 && chosen.size() > rules_.limit) {
      // Phrases beyond the limit give their words more weight, which affects what is within it.
      chosen.resize(rules_.limit);
      const std::vector<bool> within = phrases_of(chosen);
      drop_phrases([&](PhraseId phrase) { return within[phrase]; });
      chosen = candidates();
      if (chosen.size() > rules_.limit) chosen.resize(rules_.limit);
    }
    TokenVocabulary vocabulary;
    vocabulary.phrases = phrases_of(chosen);
    for (const Candidate& candidate : chosen)
      if (candidate.phrase == kNoPhrase) vocabulary.words.add(candidate.text);
    return vocabulary;
  }

 private:
  bool is_selected(std::string_view word) const {
    return rules_.selection == nullptr || rules_.selection->words.find(word) != embed::WordIndex::kNone;
  }

  bool is_allowed(PhraseId phrase) const {
    if (counts_.phrase_counts()[phrase] < rules_.min_count) return false;
    const std::string text = table_->phrase(phrase);
    const auto words = collocation::split_phrase(text);
    return std::all_of(words.begin(), words.end(),
                       [this](std::string_view word) { return is_selected(word); });
  }

  // Three-word phrases first: their parts may make two-word phrases frequent enough.
  template <class Stays>
  void drop_phrases(const Stays& stays) {
    for (const std::size_t length : {3, 2})
      for (PhraseId phrase = 0; phrase < open_.size(); ++phrase) {
        if (!open_[phrase]) continue;
        const std::string text = table_->phrase(phrase);
        const std::vector<std::string_view> words = collocation::split_phrase(text);
        if (words.size() != length || stays(phrase)) continue;
        open_[phrase] = false;
        take_apart(words, counts_.take_phrase(phrase));
      }
  }

  void take_apart(const std::vector<std::string_view>& words, std::uint64_t count) {
    if (count == 0) return;
    std::vector<std::string_view> single = words;
    if (words.size() == 3 && add_pair(words[0], words[1], count))
      single = {words[2]};
    else if (words.size() == 3 && add_pair(words[1], words[2], count))
      single = {words[0]};
    for (const std::string_view word : single) counts_.add_word(word, count);
  }

  bool add_pair(std::string_view first, std::string_view second, std::uint64_t count) {
    const PhraseId phrase = table_->find(fmt::format("{}{}{}", first, kPhraseJoint, second));
    if (phrase == kNoPhrase || !open_[phrase]) return false;
    counts_.add_phrase(phrase, count);
    return true;
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> found;
    for (std::uint32_t word = 0; word < counts_.words().size(); ++word)
      if (counts_.word_count(word) >= rules_.min_count && is_selected(counts_.words()[word]))
        found.push_back({std::string(counts_.words()[word]), counts_.word_count(word), kNoPhrase});
    for (PhraseId phrase = 0; phrase < open_.size(); ++phrase)
      if (open_[phrase]) found.push_back({table_->phrase(phrase), counts_.phrase_counts()[phrase], phrase});
    std::sort(found.begin(), found.end());
    return found;
  }

  std::vector<bool> phrases_of(const std::vector<Candidate>& chosen) const {
    std::vector<bool> phrases(open_.size(), false);
    for (const Candidate& candidate : chosen)
      if (candidate.phrase != kNoPhrase) phrases[candidate.phrase] = true;
    return phrases;
  }

  TokenCounts counts_;
  const PhraseTable* table_;
  const VocabularyRules& rules_;
  std::vector<bool> open_;  // phrases that may still be chosen
};

}  // namespace

void TokenCounts::add_word(std::string_view word, std::uint64_t count) {
  const std::uint32_t known = words_.add(word);
  if (known == embed::WordIndex::kNone)
    word_counts_.push_back(count);
  else
    word_counts_[known] += count;
}

void TokenCounts::add(const TokenCounts& other) {
  for (std::uint32_t word = 0; word < other.words_.size(); ++word)
    add_word(other.words_[word], other.word_counts_[word]);
  for (std::size_t i = 0; i < phrase_counts_.size(); ++i) phrase_counts_[i] += other.phrase_counts_[i];
}

TokenVocabulary choose_vocabulary(TokenCounts counts, const PhraseTable* table,
                                  const VocabularyRules& rules) {
  return Choice(std::move(counts), table, rules).choose();
}

}  // namespace sotto::train
