// Rewrites the texts of documents that are held back.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

#include "pipeline/rewrite/release_log.hpp"
#include "random/document_stream.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// A text to be rewritten.
struct TextToRewrite {
  std::string_view text;  ///< valid UTF-8, with kTextPadding readable bytes after it; lives until rendered
  const random::DocumentStreams& streams;
  const random::DocumentId& id;
  std::string_view field;
  Counts& counts;   ///< counts what is done to it
  ReleaseLog* log;  ///< lists what it costs; null for none

  random::Key stream_key() const { return streams.stream_key(id, field, text); }
};

/// Called during a long resolve() with the share of its work that is done; returning false requests a stop.
using ShareDone = std::function<bool(double share)>;

/// Rewrites texts, many together if faster; this does not affect the output. Not thread-safe: one per thread.
class TextRewriter {
 public:
  virtual ~TextRewriter() = default;

  /// Discards all texts.
  virtual void clear() = 0;

  /// Takes a text and draws what can be drawn before the others arrive.
  virtual Result<void> add(const TextToRewrite& text) = 0;

  /// Whether there are enough texts for a good batch.
  virtual bool is_full() const = 0;

  /// Computes the outputs of all texts added since clear().
  virtual Result<void> resolve() = 0;

  /// Whom resolve() tells how far it is, if it takes long; none at first.
  void report_to(ShareDone report) { report_ = std::move(report); }

  /// After resolve(): appends the next text, in insertion order, and counts the changes.
  virtual void render(Counts& counts, text::OutputBuffer& out) = 0;

 protected:
  ShareDone report_;
};

}  // namespace sotto::pipeline
