#include "column_rewriter.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

namespace sotto::python {
namespace {

constexpr std::size_t kSliceBytes = 8U << 20;
constexpr std::size_t kSliceRows = 1U << 17;

class ColumnRewriter {
 public:
  ColumnRewriter(const ColumnJob& job, std::shared_ptr<CallState> state, Counts& counts)
      : job_(job), state_(std::move(state)), counts_(counts), chunks_(job.layout) {
    for (const auto& text : job.texts.rows()) state_->total += text ? text->size() : 0;
  }

  Result<TextChunks> run() {
    std::size_t row = 0;
    for (const std::size_t length : job_.chunk_lengths) {
      const std::size_t end = row + length;
      chunks_.begin_chunk(length, bytes_between(row, end));
      while (row < end) {
        const std::size_t slice_end = end_of_slice(row, end);
        SOTTO_TRY(rewrite_slice(row, slice_end));
        row = slice_end;
      }
      chunks_.end_chunk();
    }
    return std::move(chunks_);
  }

  Result<UnsettledRows> run_unsettled() {
    find_rows(0, job_.texts.size());
    collect_records();
    UnsettledRows unsettled{std::vector<UnsettledRecord>(rows_.size()),
                            std::vector<const UnsettledRecord*>(job_.texts.size(), nullptr)};
    SOTTO_TRY(job_.privatizer.rewrite(records_, unsettled.records, batch()));
    for (std::size_t i = 0; i < rows_.size(); ++i) unsettled.by_row[rows_[i]] = &unsettled.records[i];
    return unsettled;
  }

 private:
  std::size_t bytes_between(std::size_t row, std::size_t end) const {
    std::size_t bytes = 0;
    for (; row < end; ++row) bytes += job_.texts[row].value_or("").size();
    return bytes + bytes / 8;  // outputs tend to be a little longer
  }

  std::size_t end_of_slice(std::size_t row, std::size_t end) const {
    end = std::min(end, row + kSliceRows);
    for (std::size_t bytes = 0; row < end && bytes < kSliceBytes; ++row)
      bytes += job_.texts[row].value_or("").size();
    return row;
  }

  /// The rows of a slice that have a text.
  void find_rows(std::size_t row, std::size_t end) {
    rows_.clear();
    for (; row < end; ++row)
      if (job_.texts[row]) rows_.push_back(row);
  }

  BatchOptions batch() {
    const auto progress = [this](std::uint64_t done, std::uint64_t) {
      state_->done = done_ + done;
      return true;
    };
    return {.threads = job_.threads,
            .progress = progress,
            .name_of = [this](std::size_t place) { return fmt::format("texts[{}]", rows_[place]); },
            .go_on = CallState::go_on(state_)};
  }

  Result<void> rewrite_slice(std::size_t begin, std::size_t end) {
    find_rows(begin, end);
    SOTTO_TRY(job_.ledger == nullptr ? rewrite_again_if_stopped() : rewrite_records());
    std::size_t place = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const bool has_text = place < rows_.size() && rows_[place] == row;
      chunks_.add(has_text ? output(place) : std::nullopt);
      if (has_text) done_ += job_.texts[row]->size();
      place += has_text ? 1 : 0;
    }
    return {};
  }

  std::optional<std::string_view> output(std::size_t place) const {
    if (job_.ledger == nullptr) return outputs_[place];
    if (!released_[place].is_released()) return std::nullopt;
    return released_[place].texts.front();
  }

  /// A language model stops for all calls that share it, also for those that nobody wants to stop.
  Result<void> rewrite_again_if_stopped() {
    Result<void> done = rewrite_documents();
    while (!done && done.error().code == Errc::interrupted && !state_->stop) {
      if (*state_->stopping > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      else
        done = rewrite_documents();
    }
    return done;
  }

  Result<void> rewrite_documents() {
    documents_.clear();
    for (const std::size_t row : rows_) {
      Document& document = documents_.emplace_back();
      document.name = {job_.dataset, {}, job_.field};
      if (job_.ids != nullptr)
        document.name.id = *(*job_.ids)[row];
      else
        document.name.record = job_.first_record + row;
      document.text = *job_.texts[row];
    }
    if (outputs_.size() < rows_.size()) outputs_.resize(rows_.size());
    return job_.privatizer.privatize(documents_, std::span(outputs_).first(rows_.size()), counts_, batch());
  }

  void collect_records() {
    fields_.clear();
    records_.clear();
    for (const std::size_t row : rows_) fields_.push_back({job_.field, *job_.texts[row]});
    for (std::size_t i = 0; i < rows_.size(); ++i)
      records_.push_back(
          {job_.dataset, *(*job_.ids)[rows_[i]], *(*job_.subjects)[rows_[i]], {&fields_[i], 1}});
  }

  Result<void> rewrite_records() {
    collect_records();
    released_.resize(rows_.size());
    return job_.privatizer.privatize(records_, *job_.ledger, released_, counts_, batch());
  }

  const ColumnJob& job_;
  std::shared_ptr<CallState> state_;
  Counts& counts_;
  TextChunks chunks_;
  std::uint64_t done_ = 0;  // bytes of finished slices
  // Used again by every slice.
  std::vector<std::size_t> rows_;
  std::vector<Document> documents_;
  std::vector<std::string> outputs_;
  std::vector<FieldText> fields_;
  std::vector<Record> records_;
  std::vector<ReleasedRecord> released_;
};

}  // namespace

Result<TextChunks> rewrite_column(const ColumnJob& job, const std::shared_ptr<CallState>& state,
                                  Counts& counts) {
  return ColumnRewriter(job, state, counts).run();
}

Result<UnsettledRows> rewrite_unsettled(const ColumnJob& job, const std::shared_ptr<CallState>& state) {
  Counts none;
  return ColumnRewriter(job, state, none).run_unsettled();
}

}  // namespace sotto::python
