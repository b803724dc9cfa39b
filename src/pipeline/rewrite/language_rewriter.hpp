// What the rewriters with a language model share.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "lm/drawn_text.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"
#include "random/bit_sources.hpp"

namespace sotto::pipeline {

/// The streams of documents, in locked memory, at addresses that stay. Thousands of documents may be held
/// back by each thread, and locking memory for each takes system calls and several of the process's mappings,
/// whose number is limited: so streams share blocks, which clear() keeps.
class DocumentBits {
 public:
  random::ChaChaBitSource& add(const random::Key& key, std::size_t expected_words) {
    if (count_ == blocks_.size() * kBlock) blocks_.push_back(random::make_locked<Block>());
    auto& place = (*blocks_[count_ / kBlock])[count_ % kBlock];
    ++count_;
    return place.emplace(key, expected_words);
  }
  /// Wipes all.
  void clear() {
    for (const auto& block : blocks_)
      for (auto& place : *block) place.reset();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kBlock = 64;
  using Block = std::array<std::optional<random::ChaChaBitSource>, kBlock>;

  std::vector<std::shared_ptr<Block>> blocks_;
  std::size_t count_ = 0;
};

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
    document.bits = &bits_.add(key, expected_words);
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
  DocumentBits bits_;
};

}  // namespace sotto::pipeline
