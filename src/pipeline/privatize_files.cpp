// A run over files: threads take chunks in turn, rewrite them independently, and write them in input order.
#include <mutex>

#include <fmt/format.h>

#include <sotto/privatize.hpp>

#include "base/checked_value.hpp"
#include "base/ordered_output.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "pipeline/first_documents.hpp"
#include "pipeline/ledger_gate.hpp"
#include "pipeline/privatizer_impl.hpp"
#include "pipeline/records/formats.hpp"
#include "pipeline/records/output_target.hpp"
#include "pipeline/records/output_text.hpp"
#include "pipeline/records/record_reader.hpp"
#include "pipeline/rewrite/rewriter.hpp"

namespace sotto {
using namespace pipeline;
namespace {

// A JSON or CSV record contains more than its documents, and escapes lengthen those.
constexpr std::uint64_t kRecordOverhead = 1 << 20;
constexpr std::uint64_t kJsonEscapeFactor = 6;
constexpr std::uint64_t kQuoteFactor = 2;

// Enough for the first few documents.
constexpr std::size_t kSampleChunk = 64 << 10;

// A file whose records keep adding new fields must not fill the memory. No file with columns has this many.
constexpr std::size_t kMostFieldNames = 10'000;

/// The namespace of the ids of an input.
std::string dataset_of(const FileOptions& files, std::uint32_t input) {
  if (!files.dataset.empty()) return files.dataset;
  // A file keeps its noise when it is compressed.
  return files.inputs.empty() ? "-" : base::without_compression(files.inputs[input].filename()).string();
}

/// The commas in a shard are right if the shards before it keep all their records.
Result<void> check_array_shard(const FileOptions& files) {
  if (files.shard.count == 1) return {};
  if (files.inputs.size() > 1) return fail_parameter("shard", "", "takes one JSON array at a time");
  if (files.ledger || files.missing == MissingField::skip)
    return fail_parameter(
        "shard", "",
        base::format_message(
            "cannot cut a JSON array whose records may be left out because of {}",
            files.ledger ? base::format_message("{{ledger}}") : base::format_message("{{missing}} skip")));
  return {};
}

class Run {
 public:
  Run(std::shared_ptr<const RewriteContext> context, const FileOptions& files, RecordLayout layout,
      RecordReader reader, std::unique_ptr<LedgerGate> ledger, OutputText output_text,
      std::unique_ptr<OutputTarget> output, Progress done, std::uint64_t call)
      : call_(call),
        context_(std::move(context)),
        files_(files),
        layout_(std::move(layout)),
        reader_(std::move(reader)),
        ledger_(std::move(ledger)),
        output_text_(std::move(output_text)),
        output_(std::move(output)),
        progress_(std::move(done)) {
    if (context_->options.unique_ids) unique_ids_.emplace(context_->subkey("unique ids"));
    starts_from_the_beginning_ = progress_.output_bytes == 0;
    bytes_done_ = reader_.bytes_before(progress_.position);
    reader_.while_waiting([this] {
      const std::lock_guard lock(written_.mutex());
      return !written_.failed() && report_progress();
    });
    if (ledger_) ledger_->while_waiting([this] { return report_progress(); });  // while a chunk is delivered
  }

  Result<Progress> run() {
    SOTTO_TRY(open_streams());
    SOTTO_TRY(written_.run(context_->mechanism->threads(files_.threads), [this] { work(); }));
    SOTTO_TRY(check_documents());
    return progress_;
  }

  /// Makes the output appear; call after run().
  Result<void> commit() {
    return output_->commit([this] { return report_progress(); });
  }

  const LedgerGate* ledger() const { return ledger_.get(); }

  std::string dataset(std::uint32_t input) const { return dataset_of(files_, input); }

  /// How the inputs are written, as found in them.
  InputHead head() const {
    InputHead nothing_read;
    nothing_read.syntax = layout_.format;
    return head_ ? *head_ : nothing_read;
  }

 private:
  /// The state of one thread.
  struct Workspace {
    explicit Workspace(std::shared_ptr<const RewriteContext> context) : rewriter(std::move(context)) {}
    Rewriter rewriter;
    Chunk chunk;
    text::OutputBuffer out;
    Counts counts;
    std::set<std::string> clear_fields;
    std::uint64_t records = 0;
    std::optional<IdLog> ids;       // if they must not repeat
    std::optional<ReleaseLog> log;  // if there is a ledger
  };

  /// The data set name used for the noise. Record numbers restart in each input, so where no two records may
  /// share noise, inputs of the same name and runs of the same Privatizer are distinguished.
  Result<void> open_streams() {
    const std::size_t inputs = std::max<std::size_t>(1, files_.inputs.size());
    streams_.reserve(inputs);
    for (std::uint32_t i = 0; i < inputs; ++i) {
      SOTTO_ASSIGN(const random::DocumentStreams streams, context_->streams(stream_name(i)));
      streams_.push_back(streams);
    }
    return {};
  }

  std::string stream_name(std::uint32_t input) const {
    std::string name = dataset(input);
    if (!context_->repeatable()) name += fmt::format("{}{}{}{}", '\0', input, '\0', call_);
    return name;
  }

  void work() {
    Workspace space(context_);
    if (ledger_) space.log = ledger_->make_log();
    space.rewriter.report_to([this](std::uint64_t bytes) {
      const std::lock_guard lock(written_.mutex());
      bytes_under_way_ = bytes;
      return !written_.failed() && report_progress();
    });
    written_.share([&] { return reader_.next(space.chunk); }, [&] { return rewrite(space); },
                   [&] { return write(space); });
  }

  Result<void> rewrite(Workspace& space) {
    space.out.clear();
    space.counts = {};
    space.records = 0;
    const std::uint32_t input = space.chunk.begin.input;
    if (space.chunk.head->is_array) SOTTO_TRY(check_array_shard(files_));
    if (unique_ids_) space.ids.emplace(*unique_ids_, dataset(input));
    if (space.log) space.log->clear();
    space.rewriter.start(space.out, space.counts, space.log ? &*space.log : nullptr);
    SOTTO_TRY(rewrite_chunk({space.chunk, layout_, streams_[input], reader_.input_name(input),
                             input + 1 >= files_.inputs.size(), space.rewriter, space.clear_fields,
                             space.records, space.ids ? &*space.ids : nullptr}));
    return space.rewriter.finish();
  }

  Result<void> write(Workspace& space) {
    if (space.chunk.begin.input != progress_.position.input) {
      SOTTO_TRY(check_documents());
      progress_.input = {};
    }
    if (space.ids) SOTTO_TRY(check_ids(*space.ids, space.chunk.begin.input));
    if (ledger_)
      SOTTO_TRY(ledger_->settle(*space.log, dataset(space.chunk.begin.input), space.out, space.counts));
    SOTTO_TRY(write_preamble(space.chunk));
    // A shard is a piece of its input, with the commas in place.
    if (space.chunk.head->is_array && files_.shard.count == 1)
      join_array_elements(space.out, progress_.has_elements);
    auto text = output_text_.encode(space.out.view(), reader_.encoding());
    if (!text) return base::fail_at(records_of(space.chunk), std::move(text.error()));
    SOTTO_TRY(output_->write(*text));
    progress_.position = space.chunk.end;
    progress_.output_bytes += text->size();
    progress_.counts += space.counts;
    progress_.input.records += space.records;
    progress_.input.documents += space.counts.documents + space.counts.withheld + space.counts.repeated;
    progress_.clear_fields.merge(space.clear_fields);
    while (progress_.clear_fields.size() > kMostFieldNames)  // the first ones by name, whichever came first
      progress_.clear_fields.erase(std::prev(progress_.clear_fields.end()));
    SOTTO_TRY(output_->progressed(progress_));
    bytes_done_ = space.chunk.file_position;
    bytes_under_way_ = 0;
    if (!report_progress()) return fail(Errc::interrupted, "interrupted");
    return {};
  }

  std::string records_of(const Chunk& chunk) const {
    return fmt::format("{}: records {} to {}", reader_.input_name(chunk.begin.input), chunk.begin.record + 1,
                       chunk.end.record);
  }

  /// The output has one preamble, that of the first input.
  Result<void> write_preamble(const Chunk& chunk) {
    if (!head_) head_ = chunk.head;
    if (chunk.sequence != 0 || !starts_from_the_beginning_ || files_.shard.index > 1) return {};
    std::string preamble = chunk.head->preamble.substr(chunk.head->header_begin);
    if (output_text_.begins_with_mark(chunk.head->header_begin > 0)) preamble.insert(0, base::kByteOrderMark);
    SOTTO_ASSIGN(const std::string_view text, output_text_.encode(preamble, reader_.encoding()));
    progress_.output_bytes += text.size();
    return output_->write(text);
  }

  /// Checks the input that progress_ has reached: if its records hold no document, it was probably taken for
  /// the wrong format, and all of it was copied in clear.
  Result<void> check_documents() const {
    const InputTally& tally = progress_.input;
    if (files_.allow_empty || tally.records == 0 || tally.documents > 0) return {};
    return fail(
        Errc::bad_format,
        base::format_message("{}: {} records and no document in them; if that is right, give {{allow_empty}}",
                             reader_.input_name(progress_.position.input), tally.records));
  }

  Result<void> check_ids(const IdLog& ids, std::uint32_t input) {
    for (const IdLog::Entry& entry : ids.entries())
      if (!unique_ids_->insert(entry.hash))
        return fail(
            Errc::bad_format,
            base::format_message("{}: record {}: its id occurred before; {{unique_ids}} refuses duplicates",
                                 reader_.input_name(input), entry.record + 1));
    return {};
  }

  /// Requires the mutex of written_; returns false if the caller requests a stop.
  bool report_progress() const {
    return !files_.progress || files_.progress(bytes_done_ + bytes_under_way_, reader_.total_bytes());
  }

  const std::uint64_t call_;  // which use of the Privatizer this is
  std::shared_ptr<const RewriteContext> context_;
  const FileOptions& files_;
  RecordLayout layout_;
  RecordReader reader_;
  random::LockedVector<random::DocumentStreams> streams_;  // by input
  std::unique_ptr<LedgerGate> ledger_;                     // null if there is none
  OutputText output_text_;
  std::unique_ptr<OutputTarget> output_;
  std::optional<UniqueIds> unique_ids_;  // if ids must not repeat; filled in input order
  bool starts_from_the_beginning_ = true;
  std::shared_ptr<const InputHead> head_;  // of the first input that was read

  base::OrderedOutput written_;
  Progress progress_;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t bytes_under_way_ = 0;  // of the chunk that is being rewritten, where that takes long
};

Result<void> check_resume(const PrivatizeOptions& options, const FileOptions& files) {
  if (!files.resume) return {};
  if (!options.keyed())
    return fail_parameter("resume", "",
                          base::format_message("needs {{key_file}}, so that the noise is the same again"));
  if (!files.output) return fail_parameter("resume", "", base::format_message("needs {{output}} FILE"));
  if (files.inputs.empty())
    return fail_parameter("resume", "", "needs input files, it cannot resume standard input");
  return {};
}

/// Ids that are not seen cannot be compared. Record numbers repeat only between inputs of the same data set.
Result<void> check_unique_ids(const PrivatizeOptions& options, const FileOptions& files) {
  if (!options.unique_ids) return {};
  if (files.resume || files.shard.count > 1)
    return fail_parameter(
        "unique_ids", "",
        base::format_message(
            "cannot be given together with {}, which reads only part of the records",
            files.resume ? base::format_message("{{resume}}") : base::format_message("{{shard}}")));
  if (!files.id_field.empty()) return {};
  std::set<std::string> datasets;
  for (std::uint32_t i = 0; i < files.inputs.size(); ++i)
    if (!datasets.insert(dataset_of(files, i)).second)
      return fail_parameter(
          "unique_ids", "",
          base::format_message("two inputs have the data set name '{}', so their record numbers "
                               "repeat; give {{id_field}}, or run them one by one",
                               dataset_of(files, i)));
  return {};
}

tl::unexpected<Error> clashing_file(std::string_view parameter, const std::filesystem::path& file,
                                    std::string_view what) {
  return fail_parameter(parameter, file.string(),
                        fmt::format("'{}' is also {}; give another file", file.string(), what));
}

Result<void> check_target(std::string_view parameter, const std::filesystem::path& target,
                          const PrivatizeOptions& options, const FileOptions& files) {
  std::error_code ignored;
  if (std::filesystem::is_other(target, ignored)) return {};  // a device or a pipe has no content to lose
  for (const auto& input : files.inputs)
    if (base::same_file(input, target)) return clashing_file(parameter, target, "an input");
  if (options.key_file && base::same_file(*options.key_file, target))
    return clashing_file(parameter, target, "the key file");
  return {};
}

using OptionalPath = std::optional<std::filesystem::path>;

bool is_standard_output(const OptionalPath& file) {
  return file && *file == kStandardOutput;
}

/// Standard output takes one thing: the text, the receipt or the statistics.
Result<void> check_standard_output(const FileOptions& files) {
  if (is_standard_output(files.report) && is_standard_output(files.statistics))
    return fail_parameter(
        "statistics", kStandardOutput,
        base::format_message("'-' is standard output, which already takes the receipt ({{report}}); "
                             "give a file"));
  if (files.output) return {};
  for (const auto& [parameter, file] :
       {std::pair("report", files.report), std::pair("statistics", files.statistics)})
    if (is_standard_output(file))
      return fail_parameter(
          parameter, kStandardOutput,
          base::format_message(
              "'-' is standard output, which already takes the text; give a file, or {{output}} FILE"));
  return {};
}

/// An additional output file must not be an input, nor one of the `others` that are written.
Result<void> check_side_file(std::string_view parameter, const OptionalPath& target,
                             const std::vector<std::pair<OptionalPath, const char*>>& others,
                             const PrivatizeOptions& options, const FileOptions& files) {
  if (!target || is_standard_output(target)) return {};
  SOTTO_TRY(check_target(parameter, *target, options, files));
  std::error_code ignored;
  for (const auto& [other, what] : others)
    if (other && !std::filesystem::is_other(*target, ignored) && base::same_file(*other, *target))
      return clashing_file(parameter, *target, what);
  return {};
}

/// Refuses to overwrite what is read, and to write two things to the same place.
Result<void> check_targets(const PrivatizeOptions& options, const FileOptions& files) {
  SOTTO_TRY(check_standard_output(files));
  if (files.ledger) {
    SOTTO_TRY(check_target("ledger", files.ledger->file, options, files));
    for (const auto& [parameter, target] :
         {std::pair("output", files.output), std::pair("report", files.report),
          std::pair("statistics", files.statistics)})
      if (target && base::same_file(*target, files.ledger->file))
        return clashing_file(parameter, *target, "the ledger");
  }
  if (files.output) SOTTO_TRY(check_target("output", *files.output, options, files));
  SOTTO_TRY(check_side_file("report", files.report, {{files.output, "the output"}}, options, files));
  return check_side_file("statistics", files.statistics,
                         {{files.output, "the output"}, {files.report, "the receipt"}}, options, files);
}

/// Identifies a resumable run. The tag shows whether the key is the same and reveals nothing else about it.
std::string fingerprint(const RewriteContext& context, const FileOptions& files, const RecordLayout& layout,
                        const LedgerGate* ledger) {
  random::CanonicalConfiguration run;
  run.add("configuration", base::to_hex(context.configuration));
  run.add("key", base::to_hex(context.subkey("resume")));
  run.add("dataset", files.dataset);
  run.add("format", to_string(layout.format));
  run.add("id_field", layout.id_field);
  run.add("delimiter", layout.delimiter ? std::string(1, *layout.delimiter) : "");
  run.add("no_header", layout.no_header ? "yes" : "no");
  run.add("missing", to_string(layout.missing));
  run.add("shard", fmt::format("{}/{}", files.shard.index, files.shard.count));
  if (files.encoding != FileOptions().encoding) run.add("encoding", files.encoding);
  if (!files.output_encoding.empty()) run.add("output_encoding", files.output_encoding);
  if (ledger != nullptr) run.add("ledger", ledger->fingerprint());
  for (std::size_t i = 0; i < layout.fields.size(); ++i)
    run.add(fmt::format("field.{}", i), layout.fields[i]);
  for (std::size_t i = 0; i < files.inputs.size(); ++i) {
    std::error_code ignored;
    const auto written =
        std::filesystem::last_write_time(files.inputs[i], ignored).time_since_epoch().count();
    run.add(fmt::format("input.{}", i),
            fmt::format("{} {} {}", files.inputs[i].string(),
                        std::filesystem::file_size(files.inputs[i], ignored), written));
  }
  return base::to_hex(run.digest());
}

/// Checks everything that can be refused before anything is opened.
Result<void> check_options(const PrivatizeOptions& options, const FileOptions& files) {
  SOTTO_ASSIGN(const RecordLayout layout, make_layout(files));
  SOTTO_TRY(base::TextEncoding::parse("encoding", files.encoding));
  SOTTO_TRY(OutputText::make(files));
  SOTTO_TRY(check_resume(options, files));
  SOTTO_TRY(check_unique_ids(options, files));
  SOTTO_TRY(check_ledger_options(options, files, layout.format));
  return check_targets(options, files);
}

Result<RecordReader::Options> reading_options(const RewriteContext& context, const FileOptions& files,
                                              const RecordLayout& layout) {
  const std::uint64_t max_document_bytes = context.options.max_document_bytes;
  RecordReader::Options reading;
  reading.inputs = files.inputs;
  reading.format = layout.format;
  SOTTO_ASSIGN(reading.encoding, base::TextEncoding::parse("encoding", files.encoding));
  reading.delimiter = layout.delimiter;
  reading.no_header = layout.no_header;
  if (!layout.no_header) reading.named_columns = layout.named_fields();
  if (layout.no_header) reading.least_columns = layout.largest_column_number();
  reading.shard = files.shard;
  reading.chunk_bytes = context.mechanism->chunk_bytes(files.ledger.has_value());
  reading.max_record_bytes = max_document_bytes;
  if (layout.is_delimited()) reading.max_record_bytes = kQuoteFactor * max_document_bytes + kRecordOverhead;
  if (layout.is_json()) reading.max_record_bytes = kJsonEscapeFactor * max_document_bytes + kRecordOverhead;
  return reading;
}

Result<Receipt> run_over_files(const Privatizer& privatizer, const FileOptions& files,
                               const base::Stopwatch& watch) {
  Privatizer::Impl& opened = PrivatizerAccess::impl(privatizer);
  const std::shared_ptr<const RewriteContext> context = opened.context;
  SOTTO_ASSIGN(RecordLayout layout, make_layout(files));
  SOTTO_ASSIGN(OutputText output_text, OutputText::make(files));
  SOTTO_ASSIGN(RecordReader::Options reading, reading_options(*context, files, layout));
  SOTTO_TRY(context->mechanism->check_inputs(files.inputs, reading.encoding));
  SOTTO_ASSIGN(RecordReader reader, RecordReader::open(reading));
  std::unique_ptr<LedgerGate> ledger;
  if (files.ledger) {
    SOTTO_ASSIGN(ledger, LedgerGate::open(*files.ledger, *context));
  }
  Progress done;
  std::unique_ptr<OutputTarget> output;
  if (files.resume) {
    SOTTO_ASSIGN(output, open_resumable_output(*files.output,
                                               fingerprint(*context, files, layout, ledger.get()), done));
    reading.start = done.position;
    SOTTO_ASSIGN(reader, RecordReader::open(reading));
  } else {
    SOTTO_ASSIGN(output, open_output(files.output));
  }
  // Opened first, so that a run does not end without them.
  std::unique_ptr<OutputTarget> report;
  if (files.report) {
    SOTTO_ASSIGN(report, open_output(is_standard_output(files.report) ? std::nullopt : files.report));
  }
  std::unique_ptr<OutputTarget> statistics;
  if (files.statistics) {
    SOTTO_ASSIGN(statistics, is_standard_output(files.statistics) ? open_output(std::nullopt)
                                                                  : open_private_output(*files.statistics));
  }
  Run run(context, files, std::move(layout), std::move(reader), std::move(ledger), std::move(output_text),
          std::move(output), std::move(done), opened.calls++);
  const double setup_seconds = watch.seconds();
  SOTTO_ASSIGN(Progress finished, run.run());
  Receipt receipt = context->receipt(finished.counts);
  const InputHead head = run.head();
  receipt.format = to_string(head.syntax.format);
  if (head.syntax.is_delimited()) receipt.delimiter = head.syntax.delimiter;
  receipt.delimiter_found = head.delimiter_found;
  receipt.fields = files.fields;
  receipt.dataset = run.dataset(0);
  if (run.ledger() != nullptr) receipt.ledger = run.ledger()->receipt();
  receipt.clear_fields = std::move(finished.clear_fields);
  receipt.setup_seconds = setup_seconds;
  receipt.seconds = watch.seconds();
  // Written before the output appears, so that a failure to write them leaves no output without them.
  if (report) SOTTO_TRY(report->write(to_json(receipt)));
  if (statistics) SOTTO_TRY(statistics->write(statistics_json(receipt)));
  SOTTO_TRY(run.commit());
  if (report) SOTTO_TRY(report->commit());
  if (statistics) SOTTO_TRY(statistics->commit());
  return receipt;
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = read_integer("", text.substr(0, slash), 1, 1'000'000);
  const auto count = slash == text.npos ? read_integer("", "", 1, 1)
                                        : read_integer("", text.substr(slash + 1), 1, 1'000'000);
  if (!index || !count || *index > *count)
    return base::not_allowed("shard", text, "i/N with i from 1 to N, for example 2/3");
  return Shard{static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*count)};
}

Result<std::vector<FoundDocument>> pipeline::first_documents(const Privatizer& privatizer,
                                                             const FileOptions& files, std::size_t most) {
  const std::shared_ptr<const RewriteContext> context = PrivatizerAccess::impl(privatizer).context;
  SOTTO_TRY(check_options(context->options, files));
  SOTTO_ASSIGN(const RecordLayout layout, make_layout(files));
  SOTTO_ASSIGN(RecordReader::Options reading, reading_options(*context, files, layout));
  SOTTO_TRY(context->mechanism->check_inputs(files.inputs, reading.encoding));
  reading.chunk_bytes = std::min(reading.chunk_bytes, kSampleChunk);
  SOTTO_ASSIGN(RecordReader reader, RecordReader::open(reading));
  reader.while_waiting([&] { return !files.progress || files.progress(0, 0); });
  Rewriter rewriter(context);
  SOTTO_ASSIGN(const auto unused, context->locked_streams(""));
  std::vector<FoundDocument> found;
  Chunk chunk;
  while (found.size() < most) {
    SOTTO_ASSIGN(const bool more, reader.next(chunk));
    if (!more) break;
    DocumentSample sample{most - found.size(), {}};
    text::OutputBuffer out;
    Counts counts;
    std::set<std::string> fields;
    std::uint64_t records = 0;
    rewriter.start(out, counts);
    rewriter.collect(sample);
    const std::string input = reader.input_name(chunk.begin.input);
    const bool is_last_input = chunk.begin.input + 1 >= files.inputs.size();
    SOTTO_TRY(
        rewrite_chunk({chunk, layout, *unused, input, is_last_input, rewriter, fields, records, nullptr}));
    for (DocumentSample::Item& item : sample.items)
      found.push_back({input, item.record, std::move(item.field), std::move(item.text)});
  }
  return found;
}

Result<Receipt> privatize_files(const PrivatizeOptions& options, const FileOptions& files) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_options(options, files));
  PrivatizeOptions chosen = options;
  if (chosen.language.threads == 0) chosen.language.threads = files.threads;
  SOTTO_ASSIGN(const auto privatizer, Privatizer::make(chosen));
  return run_over_files(*privatizer, files, watch);
}

Result<Receipt> privatize_files(const Privatizer& privatizer, const FileOptions& files) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_options(PrivatizerAccess::impl(privatizer).context->options, files));
  return run_over_files(privatizer, files, watch);
}

}  // namespace sotto
