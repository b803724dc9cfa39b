// Vectors on their way from a foreign file into a model: which words are wanted, and what was read of them.
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

namespace sotto {

/// Where in a file something stands. Turned into text only for messages.
struct Place {
  std::string_view file;
  std::string_view unit;  ///< "line" or "record"
  std::uint64_t number;   ///< from 1

  /// An error of the form "FILE, line 12: what".
  tl::unexpected<Error> error(std::string_view what) const;
};

/// Words one after the other in one string, each findable by its spelling.
class WordTable {
 public:
  /// Adds a word and returns WordIndex::kNone; if it is there already, returns its number.
  std::uint32_t add(std::string_view word);
  std::uint32_t find(std::string_view word) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::string_view operator[](std::uint32_t number) const;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  WordIndex index_;
};

/// The content of a vocabulary file: lines "word" or "word<TAB>count", the order of which counts.
struct WordSelection {
  WordTable words;
  std::vector<std::uint64_t> counts;  ///< empty, or one for each word
};
Result<WordSelection> read_word_selection(const std::filesystem::path& file);

/// The words read so far and their vectors, as floats. Grows in blocks, so it never needs room for a second
/// copy of itself.
class VectorTable {
 public:
  /// Takes the first `limit` words (0: all), or those of `selection` if that is not null.
  VectorTable(std::uint64_t limit, const WordSelection* selection) : limit_(limit), selection_(selection) {}

  /// To be called before the first word. Refuses 0 and what is beyond the largest dimension.
  Result<void> set_dimension(std::uint64_t dimension, const Place& place);
  std::size_t dimension() const { return dimension_; }

  /// True when no further word can be wanted.
  bool is_complete() const;

  /// Adds a word if it is wanted: returns its row, or nothing if it is not. Refuses words that are there
  /// already, empty, not UTF-8 or have blanks inside. One with a control character inside is not wanted. The
  /// row's vector exists after add_values.
  Result<std::optional<std::uint32_t>> add_word(std::string_view word, const Place& place);
  /// The vectors must follow in the order of the rows. Returns the row's values, to be filled.
  std::span<float> add_values();
  std::span<float> values(std::uint32_t row);
  std::span<const float> values(std::uint32_t row) const;

  /// To be called once for each row that is filled: refuses values that are not finite, and keeps the largest
  /// absolute value and norm.
  Result<void> finish_row(std::uint32_t row, const Place& place);

  const WordTable& words() const { return words_; }
  std::vector<std::uint64_t>& counts() { return counts_; }
  /// Words that were left out because of a control character inside.
  std::uint64_t skipped() const { return skipped_; }
  double largest_value() const { return largest_value_; }
  double largest_norm() const { return largest_norm_; }

  /// The rows in the order of the model: that of the selection if there is one, cut at the limit.
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
  std::uint64_t skipped_ = 0;
  double largest_value_ = 0;
  double largest_norm_ = 0;
};

}  // namespace sotto
