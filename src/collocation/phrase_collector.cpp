#include "collocation/phrase_collector.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/message.hpp"
#include "collocation/phrase_table.hpp"

namespace sotto::collocation {

PhraseFilter::PhraseFilter(const RankedWords& words, std::uint64_t total, const CountOptions& options)
    : scorer_(words, total),
      connectors_(words.size()),
      rule_(options.connectors),
      min_count_(options.min_count),
      min_score_(static_cast<std::int64_t>(std::ceil(options.min_pmi * kScoreUnit))) {
  for (std::uint32_t rank = 0; rank < words.size(); ++rank)
    connectors_[rank] = is_connector(words.word(rank));
}

bool PhraseFilter::accepts(std::uint32_t first, std::uint32_t second, std::uint64_t count,
                           std::int32_t& score) const {
  if (count < min_count_ || !allows(rule_, connectors_[first], connectors_[second])) return false;
  score = scorer_.pair(first, second, count);
  return score >= min_score_;
}

bool PhraseFilter::accepts(const PhraseWords& words, std::uint64_t count, std::int32_t& score) const {
  if (count < min_count_ ||
      !allows(rule_, connectors_[words[0]], connectors_[words[1]], connectors_[words[2]]))
    return false;
  score = scorer_.triple(words[0], words[1], words[2], count);
  return score >= min_score_;
}

void PhraseCollector::pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) {
  ++distinct_pairs_;
  current_ = {first, second, kNoWord};
  std::int32_t score = 0;
  if (!filter_->accepts(first, second, count, score)) return;
  ++pairs_;
  ids_.push_back(current_);
  scores_.push_back(score);
  counts_.push_back(count);
}

void PhraseCollector::triple(std::uint32_t third, std::uint64_t count) {
  ++distinct_triples_;
  const PhraseWords words = {current_[0], current_[1], third};
  std::int32_t score = 0;
  if (!filter_->accepts(words, count, score)) return;
  ids_.push_back(words);
  scores_.push_back(score);
  counts_.push_back(count);
}

void PhraseCollector::append(PhraseCollector&& other) {
  distinct_pairs_ += other.distinct_pairs_;
  distinct_triples_ += other.distinct_triples_;
  pairs_ += other.pairs_;
  ids_.insert(ids_.end(), other.ids_.begin(), other.ids_.end());
  scores_.insert(scores_.end(), other.scores_.begin(), other.scores_.end());
  counts_.insert(counts_.end(), other.counts_.begin(), other.counts_.end());
}

void PhraseCollector::report(CountReport& report) const {
  report.distinct_bigrams = distinct_pairs_;
  report.distinct_trigrams = distinct_triples_;
  report.bigrams = pairs_;
  report.trigrams = ids_.size() - pairs_;
}

Result<PhraseParts> PhraseCollector::finish(const RankedWords& words) {
  if (ids_.size() >= kNoPhrase)
    return fail(Errc::limit,
                base::format_message(
                    "{} phrases, more than a table holds; raise {{min_count}} or {{min_pmi}}", ids_.size()));
  std::vector<std::uint32_t> numbers(words.size(), kNoWord);
  for (const PhraseWords& phrase : ids_)
    for (const std::uint32_t rank : phrase)
      if (rank != kNoWord) numbers[rank] = 0;
  PhraseParts parts;
  parts.word_offsets.push_back(0);
  for (std::uint32_t rank = 0; rank < words.size(); ++rank) {
    if (numbers[rank] == kNoWord) continue;
    numbers[rank] = parts.word_count();
    parts.words += words.word(rank);
    if (parts.words.size() > std::numeric_limits<std::uint32_t>::max())
      return fail(Errc::limit, "the words of the phrases take more than 4 GiB");
    parts.word_offsets.push_back(static_cast<std::uint32_t>(parts.words.size()));
  }
  for (PhraseWords& phrase : ids_)
    for (std::uint32_t& rank : phrase)
      if (rank != kNoWord) rank = numbers[rank];
  parts.ids = std::move(ids_);
  parts.scores = std::move(scores_);
  parts.counts = std::move(counts_);
  return parts;
}

void CountsWriter::words_before(std::uint32_t end) {
  for (; next_word_ < end; ++next_word_) {
    buffer_ += words_.word(next_word_);
    end_line(words_.counts[next_word_]);
  }
}

void CountsWriter::end_line(std::uint64_t count) {
  constexpr std::size_t kBuffer = 1 << 20;
  fmt::format_to(std::back_inserter(buffer_), "\t{}\n", count);
  if (buffer_.size() < kBuffer) return;
  if (result_) result_ = file_->write(buffer_);
  buffer_.clear();
}

void CountsWriter::pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) {
  words_before(first + 1);
  pair_text_.assign(words_.word(first)).append(1, ' ').append(words_.word(second));
  buffer_ += pair_text_;
  end_line(count);
  next_->pair(first, second, count);
}

void CountsWriter::triple(std::uint32_t third, std::uint64_t count) {
  buffer_.append(pair_text_).append(1, ' ').append(words_.word(third));
  end_line(count);
  next_->triple(third, count);
}

Result<void> CountsWriter::finish() {
  words_before(words_.size());
  SOTTO_TRY(result_);
  return file_->write(buffer_);
}

}  // namespace sotto::collocation
