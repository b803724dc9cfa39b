// Documents or records in memory: split into chunks like files, rewritten in parallel, handed in in order.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ordered_output.hpp"
#include "pipeline/privatizer_impl.hpp"

namespace sotto::pipeline {

// Terminates each text of a chunk. No text contains it: such input is refused.
inline constexpr std::string_view kEndOfText("\0", 1);

/// Removes the next text from the output of a chunk and returns it.
inline std::string_view take_text(std::string_view& output) {
  const std::string_view text = output.substr(0, output.find(kEndOfText));
  output.remove_prefix(text.size() + kEndOfText.size());
  return text;
}

inline std::size_t text_bytes(const Document& document) {
  return document.text.size();
}
inline std::size_t text_bytes(const Record& record) {
  std::size_t bytes = 0;
  for (const FieldText& field : record.fields) bytes += field.text.size();
  return bytes;
}
inline std::string_view batch_dataset(const Document& document) {
  return document.name.dataset;
}
inline std::string_view batch_dataset(const Record& record) {
  return record.dataset;
}

/// Documents or records that are rewritten together, all of the same data set.
struct BatchChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t bytes = 0;
};

/// Splits a batch into chunks.
template <class Item>
class BatchChunks {
 public:
  BatchChunks(std::span<const Item> items, std::size_t good_bytes) : items_(items), good_bytes_(good_bytes) {}

  bool next(BatchChunk& chunk) {
    chunk = {next_, next_, 0};
    while (next_ < items_.size() && chunk.bytes < good_bytes_ &&
           batch_dataset(items_[next_]) == batch_dataset(items_[chunk.begin]))
      chunk.bytes += text_bytes(items_[next_++]);
    chunk.end = next_;
    return chunk.begin < chunk.end;
  }

 private:
  std::span<const Item> items_;
  std::size_t good_bytes_;
  std::size_t next_ = 0;
};

/// The state of one thread.
struct BatchWorkspace {
  explicit BatchWorkspace(Privatizer::Impl& owner) : rewriter(owner) {}
  BorrowedRewriter rewriter;
  BatchChunk chunk;
  text::OutputBuffer out;
  Counts counts;
  std::optional<ReleaseLog> log;
};

/// Runs a batch: `rewrite` fills the workspace of a chunk, `hand_in` takes the results, chunk by chunk.
template <class Item, class Rewrite, class HandIn>
Result<void> run_batch(Privatizer::Impl& impl, std::span<const Item> items, bool with_ledger,
                       const BatchOptions& batch, const Rewrite& rewrite, const HandIn& hand_in) {
  std::uint64_t total = 0;
  for (const Item& item : items) total += text_bytes(item);
  const std::size_t good_bytes = impl.context->mechanism->chunk_bytes(with_ledger);
  BatchChunks<Item> chunks(items, good_bytes);
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(1 + total / good_bytes, 1U << 16));
  std::uint64_t done = 0;
  base::OrderedOutput order;
  return order.run(std::min(impl.context->mechanism->threads(batch.threads), most), [&] {
    BatchWorkspace space(impl);
    order.share([&]() -> Result<bool> { return chunks.next(space.chunk); }, [&] { return rewrite(space); },
                [&]() -> Result<void> {
                  SOTTO_TRY(hand_in(space));
                  done += space.chunk.bytes;
                  if (batch.progress && !batch.progress(done, total))
                    return fail(Errc::interrupted, "interrupted");
                  return {};
                });
  });
}

/// Progress is reported when a chunk is complete, which may take seconds.
inline Result<void> check_go_on(const BatchOptions& batch) {
  if (batch.go_on && !batch.go_on()) return fail(Errc::interrupted, "interrupted");
  return {};
}

inline tl::unexpected<Error> at_place(const BatchOptions& batch, std::string_view what, std::size_t place,
                                      Error error) {
  if (error.code == Errc::interrupted) return tl::unexpected(std::move(error));
  const std::string name = batch.name_of ? batch.name_of(place) : fmt::format("{} {}", what, place + 1);
  error.message = fmt::format("{}: {}", Message::doubled_braces(name), error.message);
  return tl::unexpected(std::move(error));
}

}  // namespace sotto::pipeline
