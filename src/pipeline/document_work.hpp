// What is done to the texts of documents that are held back.
#pragma once

#include <cstddef>
#include <string_view>

#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

#include "pipeline/release_log.hpp"
#include "random/document_stream.hpp"
#include "text/output_buffer.hpp"

namespace sotto {

/// A text to be rewritten.
struct TextToRewrite {
  std::string_view text;  ///< valid UTF-8, kTextPadding readable bytes after it; lives until it is rendered
  const DocumentStreams& streams;
  const DocumentId& id;
  std::string_view field;
  Counts& counts;   ///< where to count what is done to it
  ReleaseLog* log;  ///< where to list what it costs; null: nowhere

  Key stream_key() const { return streams.stream_key(id, field, text); }
};

/// Rewrites texts, many together where that is faster; the output does not depend on it. Not thread-safe:
/// each thread has its own.
class DocumentWork {
 public:
  virtual ~DocumentWork() = default;

  /// Forgets all texts.
  virtual void clear() = 0;

  /// Takes a text in and draws what can be drawn before the others are there.
  virtual Result<void> add(const TextToRewrite& text) = 0;

  /// Whether there are enough texts for a good batch.
  virtual bool is_full() const = 0;

  /// Finds the outputs of all texts added since clear().
  virtual Result<void> resolve() = 0;

  /// After resolve(): appends the next text, in the order of adding, and counts what has changed.
  virtual void render(Counts& counts, OutputBuffer& out) = 0;
};

}  // namespace sotto
