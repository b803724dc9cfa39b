// What the rewriters with a language model share.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "lm/drawn_text.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"
#include "random/bit_sources.hpp"

namespace sotto::pipeline {

/// Holds documents until the mechanism rewrites them together. `Document` is the mechanism's: a DrawnText and
/// whatever else its draws need.
template <class Mechanism, class Document>
class LanguageRewriter : public TextRewriter {
 public:
  void clear() override {
    documents_.clear();
    bits_.clear();
    draws_ = 0;
    rendered_ = 0;
  }

  Result<void> resolve() final {
    std::uint64_t made = 0;
    return mechanism_.rewrite(documents_, [&](std::uint64_t draws) {
      made += draws;
      return !report_ || report_(static_cast<double>(made) / static_cast<double>(draws_));
    });
  }

 protected:
  /// `mechanism` must outlive this object.
  explicit LanguageRewriter(const Mechanism& mechanism) : mechanism_(mechanism) {}

  Document& add_document(std::string_view text) {
    Document& document = documents_.emplace_back();
    document.text = text;
    return document;
  }

  /// Opens the bit stream of the last document, which was made for `text`, and prepares its draws: counts
  /// them and, with a ledger, lists what they cost. `expected_words` is that of ChaChaBitSource.
  void prepare_draws(const TextToRewrite& text, std::size_t expected_words) {
    Document& document = documents_.back();
    const random::Key key = text.stream_key();
    document.bits = &bits_.emplace_back(key, expected_words);
    mechanism_.prepare(document);
    draws_ += document.draws;
    text.counts.privatized += document.draws;
    text.counts.largest_document = std::max(text.counts.largest_document, document.draws);
    if (text.log != nullptr && document.draws > 0)
      text.log->list(key, privacy::charge_for(text.log->epsilon, document.draws));
  }

  const Mechanism& mechanism_;
  std::vector<Document> documents_;
  std::uint64_t draws_ = 0;   // of all documents
  std::size_t rendered_ = 0;  // how many documents have been rendered

 private:
  std::deque<random::ChaChaBitSource, random::LockedAllocator<random::ChaChaBitSource>> bits_;
};

}  // namespace sotto::pipeline
