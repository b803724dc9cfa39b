// Receives counted n-grams and keeps those that are collocations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sotto/collocations.hpp>

#include "base/file.hpp"
#include "collocation/ngrams.hpp"
#include "collocation/phrase_writer.hpp"
#include "collocation/pmi.hpp"

namespace sotto::collocation {

/// Decides which n-grams are phrases; shared by all collectors.
class PhraseFilter {
 public:
  /// `words` must outlive the filter; `total` is N.
  PhraseFilter(const RankedWords& words, std::uint64_t total, const CountOptions& options);

  /// Whether the n-gram is a phrase; if so, `score` is set.
  bool accepts(std::uint32_t first, std::uint32_t second, std::uint64_t count, std::int32_t& score) const;
  bool accepts(const PhraseWords& words, std::uint64_t count, std::int32_t& score) const;

 private:
  PmiScorer scorer_;
  std::vector<bool> connectors_;  // by rank
  ConnectorRule rule_;
  std::uint64_t min_count_;
  std::int64_t min_score_;
};

/// Phrases as ranks of their words, in order.
class PhraseCollector final : public NgramSink {
 public:
  explicit PhraseCollector(const PhraseFilter& filter) : filter_(&filter) {}
  void pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) override;
  void triple(std::uint32_t third, std::uint64_t count) override;

  /// Appends the phrases of `other`, whose n-grams must follow those here.
  void append(PhraseCollector&& other);
  /// The contents of a table; the words of the phrases are renumbered.
  Result<PhraseParts> finish(const RankedWords& words);
  /// Fills in the fields about n-grams.
  void report(CountReport& report) const;

 private:
  const PhraseFilter* filter_;
  PhraseWords current_{};
  std::uint64_t distinct_pairs_ = 0;
  std::uint64_t distinct_triples_ = 0;
  std::uint64_t pairs_ = 0;
  std::vector<PhraseWords> ids_;
  std::vector<std::int32_t> scores_;
  std::vector<std::uint64_t> counts_;
};

/// Writes every n-gram as a line and passes it on.
class CountsWriter final : public NgramSink {
 public:
  CountsWriter(const RankedWords& words, base::AtomicFile& file, NgramSink& next)
      : words_(words), file_(&file), next_(&next) {}
  void pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) override;
  void triple(std::uint32_t third, std::uint64_t count) override;
  /// Writes the remaining lines and reports any failed write.
  Result<void> finish();

 private:
  void words_before(std::uint32_t end);
  void end_line(std::uint64_t count);

  RankedWords words_;
  base::AtomicFile* file_;
  NgramSink* next_;
  std::string buffer_;
  std::string pair_text_;
  std::uint32_t next_word_ = 0;  // the first without a line yet
  Result<void> result_;
};

}  // namespace sotto::collocation
