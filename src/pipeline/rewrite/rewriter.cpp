#include "pipeline/rewrite/rewriter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/message.hpp"
#include "privacy/rounding.hpp"

namespace sotto::pipeline {
namespace {

// Each document held back has buffers of a few kilobytes, so short ones must not accumulate without bound.
constexpr std::size_t kMostDocuments = 1 << 12;

}  // namespace

Rewriter::Rewriter(std::shared_ptr<const RewriteContext> context)
    : context_(std::move(context)), text_rewriter_(context_->mechanism->make_rewriter()) {}

void Rewriter::start(text::OutputBuffer& out, Counts& counts, ReleaseLog* log) {
  text_rewriter_->clear();  // an earlier chunk may have failed midway
  document_count_ = 0;
  copied_.clear();
  out_ = &out;
  counts_ = chunk_counts_ = &counts;
  log_ = log;
  bytes_done_ = bytes_held_ = 0;
  marks_.clear();
}

void Rewriter::report_to(std::function<bool(std::uint64_t bytes)> report) {
  text_rewriter_->report_to([this, report = std::move(report)](double share) {
    return report(bytes_done_ + static_cast<std::uint64_t>(share * static_cast<double>(bytes_held_)));
  });
}

void Rewriter::begin_record(std::string_view subject, const random::DocumentId& id) {
  if (log_ != nullptr) log_record(subject, id);
  // The record's spending is summed separately; end_record() combines the two.
  privatized_before_ = counts_->privatized;
  epsilon_before_ = std::exchange(counts_->epsilon_sum, 0);
}

void Rewriter::log_record(std::string_view subject, const random::DocumentId& id) {
  LoggedRecord& record = log_->records.emplace_back();
  record.subject = subject;
  if (id.id) record.id = *id.id;
  record.record = id.record;
  record.first_document = log_->documents.size();
  record.first_name = log_->names.size();
  counts_ = &record.counts;
  mark(false);
}

void Rewriter::end_record() {
  counts_->largest_record = std::max(counts_->largest_record, counts_->privatized - privatized_before_);
  counts_->largest_record_epsilon = std::max(counts_->largest_record_epsilon, counts_->epsilon_sum);
  counts_->epsilon_sum = privacy::add_up(epsilon_before_, counts_->epsilon_sum);
  if (log_ == nullptr) return;
  mark(true);
  counts_ = chunk_counts_;
}

void Rewriter::mark(bool is_end) {
  const Mark mark{document_count_, copied_.size(), log_->records.size() - 1, is_end};
  if (document_count_ == 0)
    place(mark, out_->size());
  else
    marks_.push_back(mark);
}

void Rewriter::place(const Mark& mark, std::size_t position) {
  LoggedRecord& record = log_->records[mark.record];
  (mark.is_end ? record.output_end : record.output_begin) = position;
}

void Rewriter::copy(std::string_view bytes) {
  (document_count_ == 0 ? *out_ : copied_).append(bytes);
}

Result<void> Rewriter::rewrite(const random::DocumentStreams& streams, const random::DocumentId& id,
                               std::string_view field, std::string_view text, Lifetime lifetime,
                               const TextEncoder& encoder) {
  if (sample_ != nullptr) {
    if (!sample_->is_full()) sample_->items.push_back({id.record, std::string(field), std::string(text)});
    return {};
  }
  SOTTO_ASSIGN(Document* const document, take_in(text, lifetime));
  document->encoder = encoder;
  if (log_ != nullptr) log_->list_name(streams.name_tag(id, field));
  const std::size_t listed = log_ == nullptr ? 0 : log_->documents.size();
  SOTTO_TRY(text_rewriter_->add({document->text, streams, id, field, *counts_, log_}));
  document->is_charged = log_ != nullptr && log_->documents.size() > listed;
  if (text_rewriter_->is_full() || document_count_ >= kMostDocuments) return finish();
  return {};
}

Result<Rewriter::Document*> Rewriter::take_in(std::string_view text, Lifetime lifetime) {
  // Tokens store their positions in 32 bits.
  const std::uint64_t most = std::min<std::uint64_t>(context_->options.max_document_bytes,
                                                     std::numeric_limits<std::uint32_t>::max());
  if (text.size() > most)
    return fail(Errc::limit,
                base::format_message("the document has {} bytes, more than {{max_document_bytes}} {}",
                                     text.size(), most));
  if (text.find('\0') != std::string_view::npos)
    return fail(Errc::bad_format, "this is not text: there is a NUL byte (is it a binary file, or UTF-16?)");
  if (document_count_ == documents_.size()) documents_.emplace_back();
  Document& document = documents_[document_count_++];
  document.copied_before = copied_.size();
  document.counts = counts_;
  if (log_ != nullptr) document.record = log_->records.size() - 1;
  document.own_text.clear();
  document.text = text;
  if (!is_valid_utf8(text)) {
    document.own_text.append(replace_invalid_utf8(text, counts_->statistics.invalid_utf8));
    document.text = document.own_text.view();
  } else if (lifetime == Lifetime::call) {
    document.own_text.append(text);
    document.text = document.own_text.view();
  }
  ++counts_->documents;
  counts_->statistics.bytes_in += document.text.size();
  bytes_held_ += document.text.size();
  return &document;
}

void Rewriter::render(const Document& document) {
  Counts& counts = log_ == nullptr ? *document.counts : log_->records[document.record].counts;
  text::OutputBuffer& to = document.encoder.append == nullptr ? *out_ : rendered_;
  rendered_.clear();
  const std::size_t begin = to.size();
  text_rewriter_->render(counts, to);
  const std::string_view text = to.view().substr(begin);
  if (document.is_charged) log_->set_output(text);
  if (document.encoder.append != nullptr) document.encoder.append(text, document.encoder.delimiter, *out_);
}

Result<void> Rewriter::finish() {
  SOTTO_TRY(text_rewriter_->resolve());
  auto mark = marks_.begin();
  std::size_t copied = 0;
  for (std::size_t i = 0; i < document_count_; ++i) {
    const Document& document = documents_[i];
    for (; mark != marks_.end() && mark->documents == i; ++mark)
      place(*mark, out_->size() + mark->copied - copied);
    out_->append(copied_.view().substr(copied, document.copied_before - copied));
    copied = document.copied_before;
    if (log_ == nullptr && document.encoder.append == nullptr)
      text_rewriter_->render(*document.counts, *out_);
    else
      render(document);
  }
  for (; mark != marks_.end(); ++mark) place(*mark, out_->size() + mark->copied - copied);
  marks_.clear();
  out_->append(copied_.view().substr(copied));
  copied_.clear();
  document_count_ = 0;
  bytes_done_ += std::exchange(bytes_held_, 0);
  text_rewriter_->clear();
  return {};
}

}  // namespace sotto::pipeline
