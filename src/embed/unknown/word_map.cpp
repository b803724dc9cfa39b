#include "embed/word_map.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/parallel.hpp"
#include "base/tree_hash.hpp"
#include "embed/model_paths.hpp"
#include "embed/unknown/public_words.hpp"
#include "embed/unknown/spelling_index.hpp"
#include "embed/unknown/subword_vectors.hpp"
#include "embed/unknown/token_spellings.hpp"
#include "embed/unknown/word_endings.hpp"
#include "embed/unknown/word_map_file.hpp"
#include "text/token_folding.hpp"

namespace sotto::embed {
namespace {

/// What stands for no word at all, such as remnants of markup.
constexpr WordNumber kNoPlace = kNoWord - 1;
constexpr std::string_view kNoPlaceMark = "-";

/// By the short form.
using Abbreviations = std::unordered_map<std::string_view, WordNumber>;

Result<Abbreviations> read_abbreviations(std::string_view lines, const PublicWords& words,
                                         std::string_view name) {
  Abbreviations found;
  std::string_view previous;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view short_form = line.substr(0, blank);
    const std::string_view word = line.substr(std::min(blank + 1, line.size()));
    const WordNumber number = word == kNoPlaceMark ? kNoPlace : words.find(word);
    if (number == kNoWord || (!found.empty() && previous >= short_form))
      return fail(Errc::bad_format,
                  fmt::format("{}: line {} of the abbreviations is not 'short word', ascending", name,
                              found.size() + 1));
    found.emplace(short_form, number);
    previous = short_form;
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return found;
}

constexpr bool is_often_doubled(char letter) {
  constexpr std::uint32_t kLetters = [] {
    std::uint32_t letters = 0;
    for (const char doubled : std::string_view("bcdefglmnoprstz"))
      letters |= std::uint32_t{1} << (doubled - 'a');
    return letters;
  }();
  return letter >= 'a' && (kLetters >> (letter - 'a') & 1) != 0;
}

}  // namespace

struct WordMap::Impl {
  explicit Impl(WordMapFile opened)
      : file(std::move(opened)),
        words(file.lengths, file.words, file.frequencies),
        spelling(words),
        subwords(file.subwords) {}

  /// kNoWord if there is none.
  WordNumber written_out(std::string_view short_form) const {
    const auto found = abbreviations.find(short_form);
    return found != abbreviations.end() ? found->second : kNoWord;
  }

  WordMapFile file;
  std::string digest;  // tree_hash() of the mapped bytes
  PublicWords words;
  SpellingIndex spelling;
  SubwordVectors subwords;
  Abbreviations abbreviations;

  class Search;
};

/// One call of WordMap::find. Each step offers its candidates and returns whether one was accepted.
class WordMap::Impl::Search {
 public:
  Search(const Impl& map, const text::FoldedToken& token, const std::function<bool(std::string_view)>& accept)
      : map_(map), token_(token), accept_(accept), spellings_(shortened(token.letters)) {}

  WordPath run() const {
    const WordNumber written_out = map_.written_out(token_.letters);
    if (written_out == kNoPlace) return WordPath::none;
    if (token_.dotted ? offer_dotted(written_out) : offer(written_out) || offer_itself())
      return WordPath::folded;
    if (offer_doublings()) return WordPath::corrected;
    if (offer_endings() || offer_parts()) return WordPath::folded;
    if (offer_corrections(1)) return WordPath::corrected;
    if (offer_halves()) return WordPath::subword;
    if (offer_corrections(2)) return WordPath::corrected;
    return offer_neighbours() ? WordPath::subword : WordPath::none;
  }

 private:
  bool offer(WordNumber number) const {
    return number < map_.words.size() && accept_(map_.words.word(number));
  }
  bool offer_all(const std::vector<WordNumber>& numbers) const {
    return std::any_of(numbers.begin(), numbers.end(), [this](WordNumber number) { return offer(number); });
  }

  bool offer_itself() const {
    if (offer_all(words_of(spellings_)) || offer_joined()) return true;
    return spellings_.size() > 1 && offer(map_.written_out(spellings_.back()));
  }

  /// "a.m." as it is written out, otherwise without full stops as "pm" is; but no abbreviation means a word
  /// of every sentence ("U.S." is not "us"). `written_out`: the word of the letters alone.
  bool offer_dotted(WordNumber written_out) const {
    std::string dotted;
    for (const char letter : token_.letters) dotted.append({letter, '.'});
    if (offer(map_.written_out(dotted))) return true;
    return !is_stopword(token_.letters) && (offer(written_out) || offer_itself());
  }

  /// The spellings that are words, the most frequent first.
  std::vector<WordNumber> words_of(const std::vector<std::string>& spellings) const {
    std::vector<WordNumber> numbers;
    for (const std::string& spelling : spellings)
      if (const WordNumber number = map_.words.find(spelling); number != kNoWord) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  /// "e-mail" as "email".
  bool offer_joined() const {
    const std::string joined = without_joiners(spellings_.back());
    return joined.size() < spellings_.back().size() && offer(map_.words.find(joined));
  }

  bool offer_endings() const {
    return std::any_of(spellings_.rbegin(), spellings_.rend(), [this](const std::string& spelling) {
      return offer_all(stems(spelling, map_.words));
    });
  }

  /// A letter doubled or not, the most common mistake: it goes before endings, so that "begining" is
  /// "beginning" and not "begin".
  bool offer_doublings() const {
    constexpr std::size_t kShortest = 5;
    const std::string& typed = spellings_.back();
    if (typed.size() < kShortest) return false;
    std::vector<WordNumber> numbers;
    const auto look_up = [&](std::string_view spelling) {
      if (const WordNumber number = map_.words.find(spelling); number != kNoWord) numbers.push_back(number);
    };
    std::string doubled = typed.front() + typed;
    for (std::size_t i = 1; i < typed.size(); ++i) {
      doubled[i] = typed[i];  // now this letter is the one that occurs twice
      if (typed[i] == typed[i - 1])
        look_up(std::string(typed).erase(i, 1));
      else if (is_often_doubled(typed[i]))
        look_up(doubled);
    }
    std::sort(numbers.begin(), numbers.end());
    return offer_all(numbers);
  }

  /// The rarest part first, but parts of three letters after all others: they are often endings ("-ish").
  bool offer_parts() const {
    constexpr std::size_t kShortestPart = 3;
    const std::vector<std::string_view> parts = parts_of(token_);
    if (parts.size() < 2) return false;
    std::vector<std::pair<bool, WordNumber>> found;
    for (const std::string_view part : parts) {
      if (part.size() < kShortestPart) continue;
      std::vector<WordNumber> numbers = words_of(shortened(part));
      if (numbers.empty()) numbers = stems(part, map_.words);
      if (!numbers.empty()) found.emplace_back(part.size() > kShortestPart, numbers.front());
    }
    std::sort(found.rbegin(), found.rend());
    return std::any_of(found.begin(), found.end(), [this](const auto& part) { return offer(part.second); });
  }

  /// The word whose first two letters were swapped, which the index of spellings does not find; a common one,
  /// as initials are easily taken for it.
  WordNumber swapped() const {
    constexpr int kCommon = 11 * kBit;
    std::string letters = spellings_.back();
    if (letters.size() < 3) return kNoWord;
    std::swap(letters[0], letters[1]);
    const WordNumber number = map_.words.find(letters);
    return number != kNoWord && map_.words.frequency(number) >= kCommon ? number : kNoWord;
  }

  bool offer_corrections(int edits) const {
    if (edits == 1 && offer(swapped())) return true;
    return std::any_of(spellings_.rbegin(), spellings_.rend(), [&](const std::string& spelling) {
      return offer_all(map_.spelling.corrections(spelling, edits));
    });
  }

  /// "happybirthday": two common words, the rarer first.
  bool offer_halves() const {
    constexpr std::size_t kShortestPart = 3;
    constexpr int kCommon = 9 * kBit;
    const std::string_view letters = spellings_.back();
    std::pair<WordNumber, WordNumber> best{kNoWord, kNoWord};
    int best_frequency = 0;
    for (std::size_t i = kShortestPart; i + kShortestPart <= letters.size(); ++i) {
      const WordNumber first = map_.words.find(letters.substr(0, i));
      if (first == kNoWord || map_.words.frequency(first) < kCommon) continue;
      const WordNumber second = map_.words.find(letters.substr(i));
      if (second == kNoWord || map_.words.frequency(second) < kCommon) continue;
      const int frequency = map_.words.frequency(first) + map_.words.frequency(second);
      if (frequency <= best_frequency) continue;
      best_frequency = frequency;
      best = std::minmax(first, second);
    }
    return offer(best.second) || offer(best.first);
  }

  bool offer_neighbours() const {
    const auto query = map_.subwords.query(without_joiners(spellings_.back()));
    if (!query) return false;
    // Words of every sentence ("the", "he") say nothing about a string, whatever their vectors are.
    constexpr int kGeneral = 15 * kBit;
    std::vector<WordNumber> general;
    SubwordRanking ranking(map_.subwords, *query);
    for (WordNumber number = ranking.next(); number != kNoWord; number = ranking.next()) {
      if (map_.words.frequency(number) >= kGeneral)
        general.push_back(number);
      else if (offer(number))
        return true;
    }
    for (WordNumber number = map_.subwords.word_count(); number < map_.words.size(); ++number)
      if (offer(number)) return true;
    return offer_all(general);
  }

  const Impl& map_;
  const text::FoldedToken& token_;
  const std::function<bool(std::string_view)>& accept_;
  std::vector<std::string> spellings_;
};

WordMap::WordMap(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
WordMap::~WordMap() = default;

Result<std::shared_ptr<const WordMap>> WordMap::open(const std::filesystem::path& file) {
  SOTTO_ASSIGN(WordMapFile opened, read_word_map(file));
  // Each takes milliseconds, and the threads that rewrite text wait for both.
  const std::span<const std::byte> bytes = opened.mapped.bytes();
  std::string digest;
  std::unique_ptr<Impl> impl;
  base::parallel_for(2, 1, base::thread_count(0), [&](std::size_t task, std::size_t) {
    if (task == 0)
      impl = std::make_unique<Impl>(std::move(opened));
    else
      digest = base::tree_hash(bytes);
  });
  impl->digest = std::move(digest);
  if (impl->words.has_repeated_word())
    return fail(Errc::bad_format, fmt::format("{}: a word appears twice", file.string()));
  SOTTO_ASSIGN(impl->abbreviations, read_abbreviations(impl->file.abbreviations, impl->words, file.string()));
  return std::shared_ptr<const WordMap>(new WordMap(std::move(impl)));
}

WordPath WordMap::find(std::string_view token, const std::function<bool(std::string_view)>& accept) const {
  const auto folded = text::fold_token(token);
  return folded ? Impl::Search(*impl_, *folded, accept).run() : WordPath::none;
}

const std::string& WordMap::digest() const {
  return impl_->digest;
}

Result<std::shared_ptr<const WordMap>> shipped_word_map() {
  static const Result<std::shared_ptr<const WordMap>> kMap = []() -> Result<std::shared_ptr<const WordMap>> {
    SOTTO_ASSIGN(const std::filesystem::path file, find_word_map());
    return WordMap::open(file);
  }();
  return kMap;
}

}  // namespace sotto::embed
