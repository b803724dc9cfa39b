// fastText's model file, version 12: arguments, dictionary, input matrix (one row per word, then one per
// n-gram bucket), output matrix. Everything is little-endian and packed.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "embed/vector_reader.hpp"

namespace sotto::embed {
namespace {

constexpr std::int32_t kVersion = 12;
constexpr std::size_t kLongestWord = 1 << 16;
// A word has up to its length times this many n-grams, and the n-grams of all words are held in memory.
constexpr std::int32_t kLongestNgram = 64;
constexpr std::uint64_t kRowsBetweenReports = 4096;
constexpr std::int8_t kWordEntry = 0;
constexpr std::string_view kEndOfSentence = "</s>";

struct Arguments {
  std::int32_t dimension;
  std::int32_t buckets;
  std::int32_t shortest_ngram;
  std::int32_t longest_ngram;
};

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// fastText's hash: FNV-1a with each byte sign-extended.
std::uint32_t ngram_hash(std::string_view ngram) {
  std::uint32_t hash = 2166136261U;
  for (const char c : ngram) {
    hash ^= static_cast<std::uint32_t>(static_cast<std::int8_t>(c));
    hash *= 16777619U;
  }
  return hash;
}

// Calls `use` with the bucket of each character n-gram of "<word>", including repeated ones, like
// Dictionary::computeSubwords: n-grams count characters, and a bracket alone is not an n-gram.
template <class Use>
void for_each_bucket(std::string_view word, const Arguments& arguments, Use use) {
  const std::string bracketed = fmt::format("<{}>", word);
  for (std::size_t begin = 0; begin < bracketed.size(); ++begin) {
    if (!starts_character(bracketed[begin])) continue;
    std::size_t end = begin;
    for (std::int32_t length = 1; end < bracketed.size() && length <= arguments.longest_ngram; ++length) {
      ++end;
      while (end < bracketed.size() && !starts_character(bracketed[end])) ++end;
      const bool bracket = length == 1 && (begin == 0 || end == bracketed.size());
      if (length >= arguments.shortest_ngram && !bracket)
        use(ngram_hash(std::string_view(bracketed).substr(begin, end - begin)) %
            static_cast<std::uint32_t>(arguments.buckets));
    }
  }
}

class FasttextReader {
 public:
  explicit FasttextReader(VectorSource& source) : source_(source) {}

  Result<void> read() {
    SOTTO_TRY(read_arguments());
    SOTTO_TRY(read_dictionary());
    SOTTO_TRY(read_matrix_header());
    collect_ngrams();
    SOTTO_TRY(read_word_rows());
    SOTTO_TRY(read_ngram_rows());
    return finish();
  }

 private:
  tl::unexpected<Error> bad(std::string_view what) const {
    return fail(Errc::bad_format, fmt::format("{}: {}", source_.input.name(), what));
  }

  template <class T>
  Result<T> take(std::string_view what) {
    T value{};
    SOTTO_ASSIGN(const bool whole,
                 source_.input.read_exactly(reinterpret_cast<char*>(&value), sizeof(value)));
    if (!whole) return bad(fmt::format("the file ends inside {} at byte {}", what, source_.input.offset()));
    return value;
  }

  Result<void> read_arguments();
  Result<void> read_dictionary();
  Result<void> read_entry(std::int32_t number);
  Result<void> read_matrix_header();
  void collect_ngrams();
  Result<void> read_row(std::uint64_t number, std::string_view what);
  Result<void> read_word_rows();
  Result<void> read_ngram_rows();
  Result<void> finish();

  // A row that contributes to a kept word's mean: (bucket, kept row), sorted, so that one pass over the
  // matrix serves all words.
  struct Use {
    std::uint32_t bucket;
    std::uint32_t row;
    bool operator<(const Use& other) const {
      return bucket != other.bucket ? bucket < other.bucket : row < other.row;
    }
  };

  VectorSource& source_;
  Arguments arguments_{};
  std::int32_t words_ = 0;             ///< words of the dictionary
  std::vector<std::int32_t> entries_;  ///< dictionary number of each kept row, ascending
  std::vector<Use> uses_;
  std::vector<std::uint32_t> parts_;  ///< number of rows in the mean of each kept row
  std::vector<float> values_;
};

Result<void> FasttextReader::read_arguments() {
  SOTTO_TRY(take<std::int32_t>("the magic number"));
  SOTTO_ASSIGN(const auto version, take<std::int32_t>("the version"));
  if (version != kVersion)
    return bad(fmt::format("fastText format version {}; version {} is read", version, kVersion));
  std::int32_t fields[12];
  for (std::int32_t& field : fields) {
    SOTTO_ASSIGN(field, take<std::int32_t>("the arguments"));
  }
  SOTTO_TRY(take<double>("the arguments"));
  arguments_ = {fields[0], fields[8], fields[9], fields[10]};
  if (arguments_.buckets < 0 || arguments_.shortest_ngram < 0 || arguments_.longest_ngram < 0)
    return bad("the arguments hold a negative number of buckets or length of n-grams");
  if (arguments_.longest_ngram > kLongestNgram)
    return bad(fmt::format("n-grams of up to {} characters; at most {} are read", arguments_.longest_ngram,
                           kLongestNgram));
  const auto dimension = static_cast<std::uint64_t>(std::max(0, arguments_.dimension));
  return source_.table.set_dimension(dimension, {source_.input.name(), "byte", 8});
}

Result<void> FasttextReader::read_dictionary() {
  SOTTO_ASSIGN(const auto size, take<std::int32_t>("the dictionary"));
  SOTTO_ASSIGN(words_, take<std::int32_t>("the dictionary"));
  SOTTO_TRY(take<std::int32_t>("the dictionary"));
  SOTTO_TRY(take<std::int64_t>("the dictionary"));
  SOTTO_ASSIGN(const auto pruned, take<std::int64_t>("the dictionary"));
  if (words_ <= 0 || size < words_) return bad(fmt::format("a dictionary of {} words", words_));
  for (std::int32_t number = 0; number < size; ++number) SOTTO_TRY(read_entry(number));
  if (pruned > 0) return bad("a pruned or quantized model (.ftz) has no exact vectors; give the .bin file");
  // Without buckets, or if all were pruned, a word is only its own row.
  if (pruned == 0 || arguments_.buckets == 0) arguments_.longest_ngram = 0;
  return {};
}

Result<void> FasttextReader::read_entry(std::int32_t number) {
  const Place place{source_.input.name(), "dictionary entry", static_cast<std::uint64_t>(number) + 1};
  SOTTO_TRY(source_.input.fill(1));
  std::size_t end = source_.input.window().find('\0');
  if (end == std::string_view::npos) {
    SOTTO_TRY(source_.input.fill(kLongestWord));
    end = source_.input.window().find('\0');
    if (end == std::string_view::npos)
      return place.error(fmt::format("the word at byte {} does not end", source_.input.offset()));
  }
  const std::string word(source_.input.window().substr(0, end));
  source_.input.consume(end + 1);
  SOTTO_ASSIGN(const auto count, take<std::int64_t>("the dictionary"));
  SOTTO_ASSIGN(const auto type, take<std::int8_t>("the dictionary"));
  // Words come before labels, and a word's number in the dictionary is its row in the matrix.
  if ((type == kWordEntry) != (number < words_)) return place.error("words and labels are not in order");
  if (type != kWordEntry || source_.table.is_complete()) return {};
  if (count < 0) return place.error(fmt::format("count {}", count));
  SOTTO_ASSIGN(const auto row, source_.table.add_word(word, place));
  if (!row) return {};
  entries_.push_back(number);
  source_.table.counts().push_back(static_cast<std::uint64_t>(count));
  return {};
}

Result<void> FasttextReader::read_matrix_header() {
  SOTTO_ASSIGN(const auto quantized, take<std::uint8_t>("the matrix"));
  if (quantized != 0) return bad("a quantized model (.ftz) has no exact vectors; give the .bin file");
  SOTTO_ASSIGN(const auto rows, take<std::int64_t>("the matrix"));
  SOTTO_ASSIGN(const auto columns, take<std::int64_t>("the matrix"));
  const std::int64_t buckets = arguments_.longest_ngram > 0 ? arguments_.buckets : 0;
  if (columns != arguments_.dimension || rows < words_ + buckets)
    return bad(fmt::format("a matrix of {} × {}; at least {} × {} expected", rows, columns, words_ + buckets,
                           arguments_.dimension));
  return {};
}

void FasttextReader::collect_ngrams() {
  parts_.assign(entries_.size(), 1);
  for (std::uint32_t row = 0; row < entries_.size(); ++row) {
    const std::string_view word = source_.table.words()[row];
    if (word == kEndOfSentence) continue;
    for_each_bucket(word, arguments_, [&](std::uint32_t bucket) {
      uses_.push_back({bucket, row});
      ++parts_[row];
    });
  }
  std::sort(uses_.begin(), uses_.end());
}

Result<void> FasttextReader::read_row(std::uint64_t number, std::string_view what) {
  values_.resize(source_.table.dimension());
  SOTTO_ASSIGN(const bool whole, source_.input.read_exactly(reinterpret_cast<char*>(values_.data()),
                                                            values_.size() * sizeof(float)));
  if (!whole)
    return bad(fmt::format("the file ends inside the vector of {} {} at byte {}", what, number + 1,
                           source_.input.offset()));
  if (number % kRowsBetweenReports == 0) return source_.report_progress();
  return {};
}

Result<void> FasttextReader::read_word_rows() {
  std::size_t kept = 0;
  for (std::int32_t word = 0; word < words_; ++word) {
    // After the last kept word only the n-grams, if any, are needed.
    if (kept == entries_.size() && uses_.empty()) return {};
    SOTTO_TRY(read_row(static_cast<std::uint64_t>(word), "word"));
    if (kept == entries_.size() || entries_[kept] != word) continue;
    std::copy(values_.begin(), values_.end(), source_.table.add_values().begin());
    ++kept;
  }
  return {};
}

Result<void> FasttextReader::read_ngram_rows() {
  auto use = uses_.begin();
  for (std::uint32_t bucket = 0; use != uses_.end(); ++bucket) {
    SOTTO_TRY(read_row(bucket, "n-gram"));
    for (; use != uses_.end() && use->bucket == bucket; ++use) {
      const std::span<float> sum = source_.table.values(use->row);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values_[i];
    }
  }
  return {};
}

Result<void> FasttextReader::finish() {
  Place place{source_.input.name(), "word", 0};
  for (std::uint32_t row = 0; row < parts_.size(); ++row) {
    const auto share = static_cast<float>(1.0 / parts_[row]);
    for (float& value : source_.table.values(row)) value *= share;
    place.number = static_cast<std::uint64_t>(entries_[row]) + 1;
    SOTTO_TRY(source_.table.finish_row(row, place));
  }
  return {};
}

}  // namespace

Result<void> read_fasttext_binary(VectorSource& source) {
  return FasttextReader(source).read();
}

}  // namespace sotto::embed
