// Rewritten texts as Arrow arrays of the type that the input had.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.h"
#include "text_column.hpp"

namespace sotto::python {

/// The buffers of one array.
struct TextChunk {
  std::int64_t length = 0;
  std::int64_t nulls = 0;
  std::vector<std::uint8_t> validity;  ///< bits; used if there are nulls
  std::vector<std::int32_t> offsets;   ///< of utf8
  std::vector<std::int64_t> large_offsets;
  std::vector<std::uint8_t> views;        ///< 16 bytes each
  std::vector<std::vector<char>> blocks;  ///< the texts; one, except for string_view
  std::vector<std::int64_t> block_sizes;  ///< of string_view, set when the chunk is complete
};

/// Appends texts to chunks.
class TextChunks {
 public:
  explicit TextChunks(TextLayout layout) : layout_(layout) {}

  /// Starts a chunk for about this many rows and bytes. A chunk that gets too large for its offsets is
  /// continued in another one.
  void begin_chunk(std::size_t rows, std::size_t bytes);
  void add(std::optional<std::string_view> text);
  void end_chunk();

  TextLayout layout() const { return layout_; }
  const std::vector<std::shared_ptr<const TextChunk>>& chunks() const { return chunks_; }

 private:
  void add_offsets(std::string_view text);
  void add_view(std::string_view text);

  TextLayout layout_;
  std::unique_ptr<TextChunk> open_;
  std::vector<std::shared_ptr<const TextChunk>> chunks_;
};

using TextList = nanobind::typed<nanobind::list, std::optional<nanobind::str>>;

/// The texts as str and None. Their layout must be large_utf8.
TextList as_list(const TextChunks& texts);

/// Texts that other libraries take over without copying them (PyCapsule protocol).
class ArrowTextsResult {
 public:
  ArrowTextsResult(TextChunks chunks, std::string name)
      : texts_(std::make_shared<const TextChunks>(std::move(chunks))), name_(std::move(name)) {}

  std::size_t chunks() const { return texts_->chunks().size(); }
  nanobind::object schema() const;
  nanobind::object array() const;  ///< a pair of capsules; needs exactly one chunk
  nanobind::object stream() const;

 private:
  std::shared_ptr<const TextChunks> texts_;
  std::string name_;
};

}  // namespace sotto::python
