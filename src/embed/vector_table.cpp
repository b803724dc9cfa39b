#include "embed/vector_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/compressed_input.hpp"
#include "embed/model_file.hpp"
#include "embed/nearest.hpp"
#include "text/word_form.hpp"

namespace sotto::embed {
namespace {

constexpr std::size_t kBlockFloats = 1 << 22;
constexpr std::size_t kLongestVocabularyLine = 1 << 16;

Result<void> add_selected(WordSelection& selection, std::string_view line, const Place& place) {
  const std::size_t tab = line.find('\t');
  const std::string_view word = line.substr(0, tab);
  if (const std::string_view fault = text::word_fault(word); !fault.empty())
    return place.error(fmt::format("the word {}", fault));
  if (selection.words.add(word) != WordIndex::kNone) return place.error("the word occurs a second time");
  const bool has_count = tab != std::string_view::npos;
  if (selection.words.size() > 1 && has_count == selection.counts.empty())
    return place.error("either all words have a count, or none");
  if (!has_count) return {};
  const std::string_view digits = line.substr(tab + 1);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size())
    return place.error("what follows the word is not a count");
  selection.counts.push_back(count);
  return {};
}

}  // namespace

tl::unexpected<Error> Place::error(std::string_view what) const {
  return fail(Errc::bad_format, fmt::format("{}, {} {}: {}", file, unit, number, what));
}

std::uint32_t WordTable::add(std::string_view word) {
  const auto word_at = [this](std::uint32_t number) { return (*this)[number]; };
  const std::uint32_t earlier = index_.insert(word, size(), word_at);
  if (earlier != WordIndex::kNone) return earlier;
  bytes_.append(word);
  offsets_.push_back(bytes_.size());
  return WordIndex::kNone;
}

std::uint32_t WordTable::find(std::string_view word) const {
  return index_.find(word, [this](std::uint32_t number) { return (*this)[number]; });
}

std::string_view WordTable::operator[](std::uint32_t number) const {
  return std::string_view(bytes_).substr(offsets_[number], offsets_[number + 1] - offsets_[number]);
}

Result<WordSelection> read_word_selection(const std::filesystem::path& file) {
  SOTTO_ASSIGN(base::BufferedInput input, base::BufferedInput::open(file));
  WordSelection selection;
  Place place{input.name(), "line", 0};
  std::string_view line;
  for (;;) {
    ++place.number;
    const Result<bool> more = input.next_line(line, kLongestVocabularyLine);
    if (!more && more.error().code == Errc::limit) return place.error(describe(more.error()));
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    SOTTO_TRY(add_selected(selection, line, place));
  }
  if (selection.words.size() == 0)
    return fail(Errc::bad_format, fmt::format("{}: the vocabulary is empty", input.name()));
  return selection;
}

Result<void> VectorTable::set_dimension(std::uint64_t dimension, const Place& place) {
  if (dimension == 0 || dimension > kLargestDimension)
    return place.error(fmt::format("dimension {} is not in 1 to {}", dimension, kLargestDimension));
  dimension_ = static_cast<std::size_t>(dimension);
  rows_per_block_ = std::max<std::size_t>(1, kBlockFloats / dimension_);
  return {};
}

bool VectorTable::is_complete() const {
  if (selection_ != nullptr) return words_.size() == selection_->words.size();
  return limit_ != 0 && words_.size() == limit_;
}

Result<std::optional<std::uint32_t>> VectorTable::add_word(std::string_view word, const Place& place) {
  if (text::has_invisible_control(word)) {
    ++skipped_;
    return std::nullopt;
  }
  if (const std::string_view fault = text::word_fault(word); !fault.empty())
    return place.error(fmt::format("the word {}", fault));
  if (selection_ != nullptr && selection_->words.find(word) == WordIndex::kNone) return std::nullopt;
  if (selection_ == nullptr && refuses_non_words_ && !text::is_word_like(word)) {
    ++non_words_;
    return std::nullopt;
  }
  if (words_.add(word) != WordIndex::kNone) return place.error("the word occurs a second time");
  return words_.size() - 1;
}

std::span<float> VectorTable::add_values() {
  // Uninitialised: values that are not filled are never read, and untouched pages cost nothing.
  if (rows_ % rows_per_block_ == 0)
    blocks_.push_back(std::make_unique_for_overwrite<float[]>(rows_per_block_ * dimension_));
  return values(rows_++);
}

std::span<float> VectorTable::values(std::uint32_t row) {
  return {blocks_[row / rows_per_block_].get() + row % rows_per_block_ * dimension_, dimension_};
}

std::span<const float> VectorTable::values(std::uint32_t row) const {
  return {blocks_[row / rows_per_block_].get() + row % rows_per_block_ * dimension_, dimension_};
}

Result<void> VectorTable::finish_row(std::uint32_t row, const Place& place) {
  double largest = 0;
  double sum = 0;
  for (const float x : values(row)) {
    largest = std::max(largest, std::abs(static_cast<double>(x)));
    sum += static_cast<double>(x) * static_cast<double>(x);
  }
  // Squares of floats cannot exceed the range of double, so the sum is not finite only if a value is not.
  if (!std::isfinite(sum)) return place.error("the vector is not finite");
  largest_value_ = std::max(largest_value_, largest);
  largest_norm_ = std::max(largest_norm_, std::sqrt(sum));
  return {};
}

std::vector<std::uint32_t> VectorTable::order() const {
  std::vector<std::uint32_t> rows;
  if (selection_ == nullptr) {
    for (std::uint32_t row = 0; row < words_.size(); ++row) rows.push_back(row);
    return rows;
  }
  for (std::uint32_t i = 0; i < selection_->words.size(); ++i) {
    const std::uint32_t row = words_.find(selection_->words[i]);
    if (row != WordIndex::kNone) rows.push_back(row);
  }
  if (limit_ != 0 && rows.size() > limit_) rows.resize(limit_);
  return rows;
}

}  // namespace sotto::embed
