#include "collocation/phrase_writer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "collocation/phrase_table.hpp"
#include "text/letter_case.hpp"

namespace sotto {
using namespace collocation;
namespace {

Result<base::Metadata> check_metadata(const std::vector<std::pair<std::string, std::string>>& given) {
  base::Metadata metadata;
  for (const auto& [key, value] : given) {
    if (key.empty() || !is_valid_utf8(key) || !is_valid_utf8(value))
      return fail_parameter("metadata", "", "a key is empty, or a key or value is not UTF-8");
    if (key == "format" || key == base::kDigestKey || key == kPhraseVersionKey)
      return fail_parameter("metadata", key, fmt::format("the key '{}' is used by the format itself", key));
    if (!metadata.emplace(key, value).second)
      return fail_parameter("metadata", key, fmt::format("the key '{}' is given twice", key));
  }
  return metadata;
}

/// Messages identify a phrase by number, because its words come from somebody's text.
tl::unexpected<Error> bad_phrase(std::size_t index, std::string_view problem) {
  return fail(Errc::invalid_argument, fmt::format("phrase {} {}", index + 1, problem));
}

Result<std::int32_t> fixed_point(const ScoredPhrase& phrase, std::size_t index) {
  if (!(std::abs(phrase.pmi) < 32768))
    return bad_phrase(index, fmt::format("has a score of {}; give a number below 32768 in size", phrase.pmi));
  // Up to 32767.99… times 65536, rounded, is at most 2³¹, one more than the type can hold.
  return static_cast<std::int32_t>(std::clamp<long long>(std::llround(phrase.pmi * kScoreUnit),
                                                         std::numeric_limits<std::int32_t>::min(),
                                                         std::numeric_limits<std::int32_t>::max()));
}

// The distinct words of all phrases, sorted, checked.
Result<std::vector<std::string_view>> distinct_words(std::span<const ScoredPhrase> phrases) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    const auto split = split_phrase(phrases[i].text);
    if (split.size() < 2 || split.size() > 3) return bad_phrase(i, "is not two or three words joined by '_'");
    words.insert(words.end(), split.begin(), split.end());
    // Phrases share most words; this keeps the vector proportional to the distinct ones.
    if (words.size() == words.capacity()) {
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      words.reserve(std::max<std::size_t>(2 * words.size(), 1024));
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string_view word : words)
    if (!is_phrase_word(word))
      return fail(Errc::invalid_argument, "phrases: a part is not a word; give single words in lower case");
  return words;
}

void set_words(PhraseParts& parts, const std::vector<std::string_view>& words) {
  parts.word_offsets = {0};
  for (const std::string_view word : words) {
    parts.words += word;
    parts.word_offsets.push_back(static_cast<std::uint32_t>(parts.words.size()));
  }
}

PhraseWords ids_of(std::string_view joined, const std::vector<std::string_view>& words) {
  PhraseWords ids = {kNoWord, kNoWord, kNoWord};
  std::size_t count = 0;
  for (const std::string_view word : split_phrase(joined))
    ids[count++] =
        static_cast<std::uint32_t>(std::lower_bound(words.begin(), words.end(), word) - words.begin());
  return ids;
}

template <class T>
base::TensorToWrite shared_tensor(std::string name, base::TensorType type, std::vector<std::uint64_t> shape,
                                  std::shared_ptr<const T> owner) {
  return {std::move(name), type, std::move(shape), [owner](const base::ByteSink& sink) {
            return sink(base::as_bytes(std::span<const typename T::value_type>(*owner)));
          }};
}

template <class T>
std::shared_ptr<const T> share(T value) {
  return std::make_shared<const T>(std::move(value));
}

}  // namespace

bool collocation::is_phrase_word(std::string_view word) {
  if (word.empty() || !is_valid_utf8(word)) return false;
  std::vector<Token> tokens;
  tokenize(word, tokens);
  return tokens.size() == 1 && tokens[0].token_class == TokenClass::word && tokens[0].begin == 0 &&
         tokens[0].end == word.size() && text::lookup_form(word) == word;
}

Result<PhraseParts> collocation::make_phrase_parts(std::span<const ScoredPhrase> phrases) {
  if (phrases.size() >= kNoPhrase)
    return fail(Errc::limit, fmt::format("{} phrases, more than {}", phrases.size(), kNoPhrase - 1));
  SOTTO_ASSIGN(const std::vector<std::string_view> words, distinct_words(phrases));
  PhraseParts parts;
  set_words(parts, words);
  std::vector<PhraseWords> ids;
  ids.reserve(phrases.size());
  for (const ScoredPhrase& phrase : phrases) ids.push_back(ids_of(phrase.text, words));
  std::vector<std::uint32_t> order(phrases.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return comes_before(ids[a], ids[b]); });
  for (const std::uint32_t i : order) {
    if (!parts.ids.empty() && parts.ids.back() == ids[i]) return bad_phrase(i, "is given twice");
    SOTTO_ASSIGN(const std::int32_t score, fixed_point(phrases[i], i));
    parts.ids.push_back(ids[i]);
    parts.scores.push_back(score);
    parts.counts.push_back(phrases[i].count);
  }
  return parts;
}

Result<PhraseParts> collocation::select_phrases(const PhraseTable& table, const std::vector<bool>& keep) {
  std::vector<ScoredPhrase> kept;
  for (PhraseId id = 0; id < table.size(); ++id)
    if (keep[id]) kept.push_back({table.phrase(id), table.pmi(id), table.count(id)});
  return make_phrase_parts(kept);
}

PhraseTensors collocation::make_phrase_tensors(PhraseParts parts) {
  const std::uint64_t words = parts.word_count();
  const std::uint64_t phrases = parts.ids.size();
  auto word_slots =
      share(make_slots(parts.word_count(), [&](std::uint32_t id) { return hash_word(parts.word(id)); }));
  auto phrase_slots = share(make_slots(static_cast<std::uint32_t>(phrases),
                                       [&](PhraseId id) { return hash_phrase(parts.ids[id]); }));
  const std::uint64_t bytes = parts.words.size();
  PhraseTensors made;
  made.tensors = {
      shared_tensor("phrase_counts", base::TensorType::u64, {phrases}, share(std::move(parts.counts))),
      shared_tensor("phrase_index", base::TensorType::u64, {phrase_slots->size()}, phrase_slots),
      shared_tensor("phrase_word_index", base::TensorType::u64, {word_slots->size()}, word_slots),
      shared_tensor("phrase_ids", base::TensorType::u32, {phrases, 3}, share(std::move(parts.ids))),
      shared_tensor("phrase_scores", base::TensorType::i32, {phrases}, share(std::move(parts.scores))),
      shared_tensor("phrase_word_offsets", base::TensorType::u32, {words + 1},
                    share(std::move(parts.word_offsets))),
      shared_tensor("phrase_words", base::TensorType::u8, {bytes}, share(std::move(parts.words)))};
  made.metadata.emplace(kPhraseVersionKey, kPhraseVersion);
  return made;
}

Result<std::string> collocation::write_phrase_file(
    const std::filesystem::path& file, PhraseParts parts,
    const std::vector<std::pair<std::string, std::string>>& metadata) {
  SOTTO_ASSIGN(base::Metadata all, check_metadata(metadata));
  const PhraseTensors made = make_phrase_tensors(std::move(parts));
  all.insert(made.metadata.begin(), made.metadata.end());
  all.emplace("format", kPhraseFormatName);
  return base::write_safetensors(file, std::move(all), made.tensors);
}

Result<std::string> write_phrase_table(const std::filesystem::path& file,
                                       std::span<const ScoredPhrase> phrases,
                                       const std::vector<std::pair<std::string, std::string>>& metadata) {
  SOTTO_ASSIGN(PhraseParts parts, make_phrase_parts(phrases));
  return write_phrase_file(file, std::move(parts), metadata);
}

}  // namespace sotto
