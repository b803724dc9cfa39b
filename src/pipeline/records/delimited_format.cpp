// CSV (RFC 4180, quotes) and TSV (no quotes) with a header line.
#include <algorithm>

#include <fmt/format.h>

#include "pipeline/records/formats.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/printable.hpp"

namespace sotto::pipeline {
namespace {

void append_quoted(std::string_view text, text::OutputBuffer& out) {
  out.append("\"");
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"')) {
    out.append(text.substr(0, quote + 1));
    out.append("\"");
    text.remove_prefix(quote + 1);
  }
  out.append(text);
  out.append("\"");
}

void append_quoted_if_needed(std::string_view text, text::OutputBuffer& out) {
  text.find_first_of("\",\r\n") == std::string_view::npos ? out.append(text) : append_quoted(text, out);
}

class DelimitedChunk {
 public:
  explicit DelimitedChunk(const ChunkJob& job)
      : job_(job), quotes_(job.layout.format == Format::csv), delimiter_(quotes_ ? ',' : '\t') {}

  Result<void> run() {
    SOTTO_TRY(read_header());
    RecordCursor cursor(job_.chunk.data.view(), job_.layout.format, true);
    record_ = job_.chunk.begin.record;
    for (std::string_view record; cursor.next(record); ++record_) {
      // An open field would swallow all following records and, unless it is a named one, copy them.
      if (cursor.quote_is_open())
        return record_error(job_, record_, Errc::bad_format, "a quoted field is not closed");
      SOTTO_TRY(rewrite_record(record));
    }
    return {};
  }

 private:
  Result<void> read_header() {
    split_record(without_line_end(*job_.chunk.header), delimiter_, quotes_, columns_);
    document_column_.assign(columns_.size(), nullptr);
    for (const std::string& field : job_.layout.fields) {
      SOTTO_ASSIGN(const std::size_t column, find_column(field, "field"));
      document_column_[column] = &field;
    }
    if (!job_.layout.id_field.empty()) {
      SOTTO_ASSIGN(id_column_, find_column(job_.layout.id_field, "id_field"));
    }
    if (!job_.layout.subject_field.empty()) {
      SOTTO_ASSIGN(subject_column_, find_column(job_.layout.subject_field, "subject"));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (document_column_[i] == nullptr) job_.clear_fields.emplace(column_name(i));
    return {};
  }

  std::string column_name(std::size_t column) {
    unquote(columns_[column], quotes_, text_);
    return std::string(text_.view());
  }

  Result<std::size_t> find_column(std::string_view name, std::string_view parameter) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) names.push_back(column_name(i));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return fail_parameter(
          parameter, name,
          fmt::format("{} has no column '{}'; it has {}", job_.input_name, name, text::list_names(names)),
          Errc::not_found);
    if (std::find(found + 1, names.end(), name) != names.end())
      return fail_parameter(parameter, name, fmt::format("{} has two columns '{}'", job_.input_name, name),
                            Errc::bad_format);
    return static_cast<std::size_t>(found - names.begin());
  }

  Result<void> rewrite_record(std::string_view record) {
    const std::string_view body = without_line_end(record);
    if (body.empty()) {
      job_.rewriter.copy(record);
      return {};
    }
    ++job_.records;
    split_record(body, delimiter_, quotes_, values_);
    if (values_.size() != columns_.size())
      return record_error(job_, record_, Errc::bad_format,
                          fmt::format("{} columns where the header has {}", values_.size(), columns_.size()));
    random::DocumentId id{{}, record_};
    if (id_column_) {
      unquote(values_[*id_column_], quotes_, text_);
      id_ = text_.view();
      id.id = id_;
      if (job_.ids != nullptr) job_.ids->add(record_, id_);
    }
    if (subject_column_) {
      unquote(values_[*subject_column_], quotes_, text_);
      subject_ = text_.view();
      if (subject_.empty())
        return record_error(job_, record_, Errc::bad_format,
                            fmt::format("the subject field '{}' is empty", job_.layout.subject_field));
    }
    job_.rewriter.begin_record(subject_, id);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i > 0) job_.rewriter.copy({&delimiter_, 1});
      SOTTO_TRY(rewrite_value(i, id));
    }
    job_.rewriter.copy(record.substr(body.size()));
    job_.rewriter.end_record();
    return {};
  }

  Result<void> rewrite_value(std::size_t column, const random::DocumentId& id) {
    const std::string_view value = values_[column];
    const std::string* field = document_column_[column];
    if (field == nullptr) {
      job_.rewriter.copy(value);
      return {};
    }
    unquote(value, quotes_, text_);
    TextEncoder encoder = nullptr;
    if (quotes_) encoder = is_quoted(value) ? append_quoted : append_quoted_if_needed;
    if (auto done =
            job_.rewriter.rewrite(job_.streams, id, *field, text_.view(), Rewriter::Lifetime::call, encoder);
        !done)
      return record_error(job_, record_, std::move(done.error()));
    return {};
  }

  const ChunkJob& job_;
  bool quotes_;
  char delimiter_;
  std::uint64_t record_ = 0;
  std::vector<std::string_view> columns_;
  std::vector<const std::string*> document_column_;  // the field in each column, or null
  std::optional<std::size_t> id_column_;
  std::optional<std::size_t> subject_column_;
  std::vector<std::string_view> values_;
  std::string id_;
  std::string subject_;
  text::OutputBuffer text_;
};

}  // namespace

Result<void> rewrite_delimited(const ChunkJob& job) {
  return DelimitedChunk(job).run();
}

}  // namespace sotto::pipeline
