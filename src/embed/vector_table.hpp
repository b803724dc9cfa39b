// Vectors on their way from a foreign file into a model: which words are wanted, and what has been read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

#include "embed/word_index.hpp"

namespace sotto::embed {

/// A position in a file. Formatted only for messages.
struct Place {
  std::string_view file;
  std::string_view unit;  ///< "line" or "record"
  std::uint64_t number;   ///< from 1

  /// An error of the form "FILE, line 12: what".
  tl::unexpected<Error> error(std::string_view what) const;
};

/// Words concatenated in one string and indexed by spelling.
class WordTable {
 public:
  /// Adds a word and returns WordIndex::kNone; if it already exists, returns its number.
  std::uint32_t add(std::string_view word);
  std::uint32_t find(std::string_view word) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::string_view operator[](std::uint32_t number) const;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  WordIndex index_;
};

/// The contents of a vocabulary file: lines "word" or "word<TAB>count", whose order matters.
struct WordSelection {
  WordTable words;
  std::vector<std::uint64_t> counts;  ///< empty, or one per word
};
Result<WordSelection> read_word_selection(const std::filesystem::path& file);

/// The words read so far and their vectors, as floats. Grows in blocks, so it never needs memory for a second
/// copy of itself.
class VectorTable {
 public:
  /// Takes the first `limit` words (0: all), or those of `selection` if that is not null.
  VectorTable(std::uint64_t limit, const WordSelection* selection) : limit_(limit), selection_(selection) {}

  /// From now on, takes only what is_word_like; a selection is not affected.
  void refuse_non_words() { refuses_non_words_ = true; }

  /// Must be called before the first word. Refuses 0 and anything above the largest dimension.
  Result<void> set_dimension(std::uint64_t dimension, const Place& place);
  std::size_t dimension() const { return dimension_; }

  /// Whether no further word can be wanted.
  bool is_complete() const;

  /// Adds a word if it is wanted and returns its row, otherwise nothing. Refuses words that are duplicates,
  /// empty, not UTF-8, or contain blanks. A word that contains a control character is not wanted. The row's
  /// vector exists after add_values.
  Result<std::optional<std::uint32_t>> add_word(std::string_view word, const Place& place);
  /// Vectors must be added in row order. Returns the row's values, to be filled.
  std::span<float> add_values();
  std::span<float> values(std::uint32_t row);
  std::span<const float> values(std::uint32_t row) const;

  /// Must be called once per filled row: refuses values that are not finite, and tracks the largest absolute
  /// value and norm.
  Result<void> finish_row(std::uint32_t row, const Place& place);

  const WordTable& words() const { return words_; }
  std::vector<std::uint64_t>& counts() { return counts_; }
  /// Words omitted because they contain a control character.
  std::uint64_t skipped() const { return skipped_; }
  /// Words omitted because of refuse_non_words.
  std::uint64_t non_words() const { return non_words_; }
  double largest_value() const { return largest_value_; }
  double largest_norm() const { return largest_norm_; }

  /// The rows in model order: that of the selection if there is one, truncated at the limit.
  std::vector<std::uint32_t> order() const;

 private:
  std::uint64_t limit_;
  const WordSelection* selection_;
  std::size_t dimension_ = 0;
  std::size_t rows_per_block_ = 0;
  std::uint32_t rows_ = 0;
  WordTable words_;
  std::vector<std::unique_ptr<float[]>> blocks_;
  std::vector<std::uint64_t> counts_;
  bool refuses_non_words_ = false;
  std::uint64_t skipped_ = 0;
  std::uint64_t non_words_ = 0;
  double largest_value_ = 0;
  double largest_norm_ = 0;
};

}  // namespace sotto::embed
