// The path of one document: taken in, held back until the batch is large enough, rewritten, written out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "pipeline/rewrite/release_log.hpp"
#include "pipeline/rewrite/rewrite_context.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"
#include "random/document_stream.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {

/// Writes a rewritten text into its record, for example as a JSON string.
struct TextEncoder {
  void (*append)(std::string_view text, char delimiter,
                 text::OutputBuffer& out) = nullptr;  ///< null: unchanged
  char delimiter = 0;                                 ///< between the fields of the record, if anything is
};

/// The first documents of a run as they stand in their records, decoded.
struct DocumentSample {
  struct Item {
    std::uint64_t record = 0;  ///< counted from 0
    std::string field;
    std::string text;
  };

  bool is_full() const { return items.size() >= most; }

  std::size_t most = 0;
  std::vector<Item> items;
};

/// Rewrites documents and copies what is between them. Documents are held back until there are enough for the
/// mechanism to process efficiently; this does not affect the output. One per thread.
class Rewriter {
 public:
  explicit Rewriter(std::shared_ptr<const RewriteContext> context);

  /// From now on everything is appended to `out` and added to `counts`, which must outlive finish(). With a
  /// log, whatever belongs to a record is counted there instead, and its documents are listed.
  void start(text::OutputBuffer& out, Counts& counts, ReleaseLog* log = nullptr);

  /// From now on, while texts are rewritten that take long, `report` is told how many of their bytes are done
  /// since start(); if it returns false, rewriting fails with Errc::interrupted.
  void report_to(std::function<bool(std::uint64_t bytes)> report);

  /// From now on documents are not rewritten but added to `sample`, as long as it is not full.
  void collect(DocumentSample& sample) { sample_ = &sample; }

  /// Marks the beginning or end of a record, whose documents come in between.
  void begin_record(std::string_view subject, const random::DocumentId& id);
  void end_record();

  /// Where to count what happens outside the rewriter; valid until finish() or the next end of a record.
  Counts& counts() { return *counts_; }

  /// From now on documents are counted there, which must outlive finish(). Not with a log.
  void count_into(Counts& counts) { counts_ = &counts; }

  /// Bytes that go to the output unchanged.
  void copy(std::string_view bytes);

  /// How long a text lives: until finish(), with kTextPadding readable bytes after it, or only during the
  /// call.
  enum class Lifetime { chunk, call };

  /// Takes a document.
  Result<void> rewrite(const random::DocumentStreams& streams, const random::DocumentId& id,
                       std::string_view field, std::string_view text, Lifetime lifetime,
                       const TextEncoder& encoder = {});

  /// Writes everything that is held back.
  Result<void> finish();

 private:
  /// A document being held back.
  struct Document {
    std::string_view text;
    text::OutputBuffer own_text;  // if the text does not live long enough or was not valid UTF-8
    std::size_t copied_before;    // end of the part of copied_ before the document
    Counts* counts;               // without a log: where it is counted
    std::size_t record;           // index in the log
    bool is_charged;              // if so, listed in the log, still without its output
    TextEncoder encoder;
  };

  /// A place in the output that is unknown until everything held back is written.
  struct Mark {
    std::size_t documents;  // number held back before it
    std::size_t copied;     // end of the part of copied_ before it
    std::size_t record;     // index in the log
    bool is_end;
  };

  void log_record(std::string_view subject, const random::DocumentId& id);
  void mark(bool is_end);
  void place(const Mark& mark, std::size_t position);
  Result<Document*> take_in(std::string_view text, Lifetime lifetime);
  void render(const Document& document);

  std::shared_ptr<const RewriteContext> context_;
  std::unique_ptr<TextRewriter> text_rewriter_;  // of the context's mechanism
  text::OutputBuffer* out_ = nullptr;
  Counts* counts_ = nullptr;
  Counts* chunk_counts_ = nullptr;
  ReleaseLog* log_ = nullptr;
  DocumentSample* sample_ = nullptr;     // null: documents are rewritten
  std::uint64_t privatized_before_ = 0;  // before the current record
  double epsilon_before_ = 0;
  std::uint64_t bytes_done_ = 0;  // of texts since start()
  std::uint64_t bytes_held_ = 0;  // of texts held back
  std::vector<Mark> marks_;
  std::vector<Document> documents_;  // the first document_count_ are held back
  std::size_t document_count_ = 0;
  text::OutputBuffer copied_;    // bytes copied since the first of them
  text::OutputBuffer rendered_;  // a text on its way to its encoder
};

}  // namespace sotto::pipeline
