// One thread's share of a chunk of the corpus: its words as numbers, in order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <sotto/tokenizer.hpp>

#include "collocation/word_dictionary.hpp"

namespace sotto::collocation {

/// Words in order, in blocks, so that growth copies nothing. An entry is a word's number plus a bit that says
/// that no n-gram extends across it from before: other tokens or a sentence boundary come in between.
class WordStream {
 public:
  static constexpr std::uint32_t kStart = std::uint32_t{1} << 31;
  static constexpr std::size_t kBlockEntries = 1 << 14;

  void push_back(std::uint32_t entry) {
    if (used_ == kBlockEntries) {
      blocks_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(kBlockEntries));
      used_ = 0;
    }
    blocks_.back()[used_++] = entry;
  }
  std::uint64_t size() const { return blocks_.empty() ? 0 : (blocks_.size() - 1) * kBlockEntries + used_; }
  std::uint64_t bytes() const { return blocks_.size() * kBlockEntries * sizeof(std::uint32_t); }

  /// Calls `use` with each block's entries, in order.
  template <class Use>
  void for_each_block(const Use& use) {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      use(blocks_[i].get(), i + 1 == blocks_.size() ? used_ : kBlockEntries);
  }

 private:
  std::vector<std::unique_ptr<std::uint32_t[]>> blocks_;
  std::size_t used_ = kBlockEntries;
};

struct TextCounts {
  std::uint64_t documents = 0;
  std::uint64_t sentences = 0;
  std::uint64_t words = 0;

  void operator+=(const TextCounts& other) {
    documents += other.documents;
    sentences += other.sentences;
    words += other.words;
  }
};

/// Turns documents into a stream. Not thread-safe: one per thread.
class WordCollector {
 public:
  void add(std::string_view document);

  const WordDictionary& dictionary() const { return dictionary_; }
  WordStream& stream() { return stream_; }
  const TextCounts& counts() const { return counts_; }
  /// Memory the chunk needs until it is counted, except for the keys being sorted.
  std::uint64_t bytes() const;

 private:
  static constexpr std::size_t kBatch = 64;

  WordDictionary dictionary_;
  WordStream stream_;
  TextCounts counts_;
  std::vector<Token> tokens_;
  std::array<WordBlock, kBatch> blocks_;
  std::array<std::uint64_t, kBatch> hashes_;

  void add_words(std::string_view document, std::size_t begin, std::size_t end);
  std::uint32_t add_long_word(std::string_view word);
};

}  // namespace sotto::collocation
