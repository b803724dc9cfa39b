// CSV (RFC 4180, quotes) and TSV (no quotes), with or without a header line.
#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"
#include "base/suggestion.hpp"
#include "pipeline/records/formats.hpp"
#include "pipeline/records/record_syntax.hpp"
#include "text/printable.hpp"

namespace sotto::pipeline {
namespace {

void append_quoted(std::string_view text, char /*delimiter*/, text::OutputBuffer& out) {
  out.append("\"");
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"')) {
    out.append(text.substr(0, quote + 1));
    out.append("\"");
    text.remove_prefix(quote + 1);
  }
  out.append(text);
  out.append("\"");
}

void append_quoted_if_needed(std::string_view text, char delimiter, text::OutputBuffer& out) {
  const bool is_plain = text.find(delimiter) == std::string_view::npos &&
                        text.find_first_of("\"\r\n") == std::string_view::npos;
  is_plain ? out.append(text) : append_quoted(text, delimiter, out);
}

class DelimitedChunk {
 public:
  explicit DelimitedChunk(const ChunkJob& job) : job_(job), syntax_(job.chunk.head->syntax) {}

  Result<void> run() {
    SOTTO_TRY(read_columns());
    const std::string_view data = job_.chunk.data.view();
    RecordCursor cursor(data, syntax_, true);
    place_.record = job_.chunk.begin.record;
    for (std::string_view record; cursor.next(record); ++place_.record) {
      place_.offset = static_cast<std::size_t>(record.data() - data.data());
      // An open field would swallow all following records and, unless it is a named one, copy them.
      if (cursor.quote_is_open())
        return record_error(job_, {place_.record, cursor.open_quote()}, Errc::bad_format,
                            "a quoted field is not closed");
      SOTTO_TRY(rewrite_record(record));
    }
    return {};
  }

 private:
  Result<void> read_columns() {
    const InputHead& head = *job_.chunk.head;
    if (head.columns == 0) return {};  // an empty input without a header
    if (job_.layout.no_header) {
      for (std::size_t i = 1; i <= head.columns; ++i) names_.push_back(fmt::format("{}", i));
    } else {
      std::vector<std::string_view> columns;
      split_record(without_line_end(head.header()), syntax_, columns);
      for (const std::string_view column : columns) {
        unquote(column, syntax_, text_);
        names_.emplace_back(text_.view());
      }
    }
    document_column_.assign(names_.size(), nullptr);
    for (const std::string& field : job_.layout.fields) {
      SOTTO_ASSIGN(const std::size_t column, find_column(field, "field"));
      document_column_[column] = &field;
    }
    if (!job_.layout.id_field.empty()) {
      SOTTO_ASSIGN(id_column_, find_column(job_.layout.id_field, "id_field"));
    }
    if (!job_.layout.subject_field.empty()) {
      SOTTO_ASSIGN(subject_column_, find_column(job_.layout.subject_field, "subject_field"));
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (document_column_[i] == nullptr) job_.clear_fields.insert(names_[i]);
    return {};
  }

  Result<std::size_t> find_column(const std::string& name, std::string_view parameter) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return fail_parameter(parameter, name, no_such_column(name), Errc::not_found);
    if (std::find(found + 1, names_.end(), name) != names_.end())
      return fail_parameter(parameter, name, fmt::format("{} has two columns '{}'", job_.input_name, name),
                            Errc::bad_format);
    return static_cast<std::size_t>(found - names_.begin());
  }

  Message no_such_column(const std::string& name) const {
    const std::string guess = job_.layout.no_header ? "" : base::suggestion(name, names_);
    const std::string what = fmt::format("{} has no column '{}'{}; it has ", job_.input_name, name, guess);
    if (job_.layout.no_header)
      return base::format_message("{}{} {}", what, names_.size(), names_.size() == 1 ? "column" : "columns");
    const std::string separated = syntax_.has_quotes() && syntax_.delimiter != ','
                                      ? fmt::format(", separated by {}", spell_delimiter(syntax_.delimiter))
                                      : "";
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    return base::format_message("{}{}{}{}", what, text::list_names(names_), separated,
                                is_number
                                    ? base::format_message("; columns have numbers with {{no_header}} only")
                                    : base::format_message(""));
  }

  Result<void> rewrite_record(std::string_view record) {
    const std::string_view body = without_line_end(record);
    if (body.empty()) {
      job_.rewriter.copy(record);
      return {};
    }
    ++job_.records;
    if (const std::size_t stray = split_record(body, syntax_, values_); stray != std::string_view::npos)
      return record_error(
          job_, {place_.record, place_.offset + stray}, Errc::bad_format,
          "more text follows the closing quote of a field, so its opening quote may be a stray "
          "one; a quote inside a quoted field must be doubled");
    if (values_.size() < names_.size() && job_.layout.missing == MissingField::skip) {
      ++job_.rewriter.counts().skipped;
      return {};
    }
    // With more columns than the header, part of a text may be in a column that is copied.
    if (values_.size() > names_.size() ||
        (values_.size() < names_.size() && job_.layout.missing == MissingField::error))
      return problem(fmt::format("{} {} where {} has {}", values_.size(),
                                 values_.size() == 1 ? "column" : "columns",
                                 job_.layout.no_header ? "the first record" : "the header", names_.size()));
    random::DocumentId id{{}, place_.record};
    SOTTO_TRY(take_id(id));
    SOTTO_TRY(take_subject());
    job_.rewriter.begin_record(subject_, id);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i > 0) job_.rewriter.copy({&syntax_.delimiter, 1});
      SOTTO_TRY(rewrite_value(i, id));
    }
    job_.rewriter.copy(record.substr(body.size()));
    job_.rewriter.end_record();
    return {};
  }

  Result<void> take_id(random::DocumentId& id) {
    if (!id_column_) return {};
    if (*id_column_ >= values_.size())
      return problem(fmt::format("there is no id field '{}'", job_.layout.id_field));
    unquote(values_[*id_column_], syntax_, text_);
    id_ = text_.view();
    id.id = id_;
    if (job_.ids != nullptr) job_.ids->add(place_.record, id_);
    return {};
  }

  Result<void> take_subject() {
    if (!subject_column_) return {};
    if (*subject_column_ >= values_.size())
      return problem(fmt::format("there is no subject field '{}'", job_.layout.subject_field));
    unquote(values_[*subject_column_], syntax_, text_);
    subject_ = text_.view();
    if (subject_.empty())
      return problem(fmt::format("the subject field '{}' is empty", job_.layout.subject_field));
    return {};
  }

  Result<void> rewrite_value(std::size_t column, const random::DocumentId& id) {
    const std::string_view value = values_[column];
    const std::string* field = document_column_[column];
    if (field == nullptr) {
      job_.rewriter.copy(value);
      return {};
    }
    unquote(value, syntax_, text_);
    TextEncoder encoder;
    if (syntax_.has_quotes())
      encoder = {is_quoted(value) ? append_quoted : append_quoted_if_needed, syntax_.delimiter};
    if (auto done =
            job_.rewriter.rewrite(job_.streams, id, *field, text_.view(), Rewriter::Lifetime::call, encoder);
        !done)
      return record_error(job_, place_, std::move(done.error()));
    return {};
  }

  tl::unexpected<Error> problem(std::string_view message) const {
    return record_error(job_, place_, Errc::bad_format, message);
  }

  const ChunkJob& job_;
  RecordSyntax syntax_;
  RecordPlace place_;
  std::vector<std::string> names_;                   // of the columns
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
