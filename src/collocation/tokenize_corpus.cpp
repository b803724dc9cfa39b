// Writes a corpus as tokens: threads take blocks of documents in turn and write them in input order.
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include <sotto/collocations.hpp>
#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "base/ordered_output.hpp"
#include "base/parallel.hpp"
#include "collocation/corpus_reader.hpp"
#include "collocation/phrase_table.hpp"
#include "collocation/segmenter.hpp"
#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto {
using namespace collocation;
namespace {

struct Sums {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t lengths[4] = {};  // tokens of one, two and three words
  std::int64_t score = 0;

  void operator+=(const Sums& other) {
    documents += other.documents;
    words += other.words;
    for (std::size_t i = 0; i < 4; ++i) lengths[i] += other.lengths[i];
    score += other.score;
  }
};

// Turns documents into lines; one per thread.
class LineWriter {
 public:
  explicit LineWriter(const CorpusTokenizeOptions& options)
      : options_(options), segmenter_(options.phrases, options.method) {}

  void start() {
    out_.clear();
    sums_ = {};
  }
  std::string_view lines() const { return out_.view(); }
  const Sums& sums() const { return sums_; }

  void add(std::string_view document) {
    tokenize(document, tokens_);
    segmenter_.segment(document, tokens_, pieces_);
    ++sums_.documents;
    out_.append(options_.json ? "{\"tokens\":[" : "");
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i > 0) out_.push_back(options_.json ? ',' : ' ');
      if (options_.json) out_.push_back('"');
      add_piece(document, pieces_[i]);
      if (options_.json) out_.push_back('"');
    }
    out_.append(options_.json ? "]}\n" : "\n");
  }

 private:
  void add_piece(std::string_view document, const Piece& piece) {
    ++sums_.lengths[piece.length];
    if (piece.phrase != kNoPhrase)
      sums_.score += PhraseTableAccess::impl(*options_.phrases).scores[piece.phrase];
    for (std::uint32_t i = piece.first; i < piece.first + piece.length; ++i) {
      if (i > piece.first) out_.push_back(kPhraseJoint);
      const Token& token = tokens_[i];
      const std::string_view text = document.substr(token.begin, token.end - token.begin);
      if (token.token_class == TokenClass::word)
        add_word(text, token.ascii);
      else
        add_other(text);
    }
  }

  void add_word(std::string_view word, bool ascii) {
    ++sums_.words;
    if (!ascii) {
      out_.append(text::lookup_form(word));
      return;
    }
    text::lower_ascii(word, out_.reserve(word.size()));
    out_.advance(word.size());
  }

  // A word contains nothing that JSON must escape; other tokens may.
  void add_other(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (!options_.json || (byte >= 0x20 && byte != '"' && byte != '\\'))
        out_.push_back(c);
      else
        out_.append(fmt::format("\\u{:04x}", byte));
    }
  }

  const CorpusTokenizeOptions& options_;
  Segmenter segmenter_;
  std::vector<Token> tokens_;
  std::vector<Piece> pieces_;
  text::OutputBuffer out_;
  Sums sums_;
};

class TokenizeRun {
 public:
  TokenizeRun(const CorpusTokenizeOptions& options, CorpusReader reader,
              std::optional<base::AtomicFile> output)
      : options_(options), reader_(std::move(reader)), output_(std::move(output)) {
    reader_.while_waiting([this] {
      const std::lock_guard lock(written_.mutex());
      return go_on();
    });
  }

  Result<CorpusTokenizeReport> run() {
    SOTTO_TRY(written_.run(base::thread_count(options_.threads), [this] { work(); }));
    if (output_) SOTTO_TRY(output_->commit());
    CorpusTokenizeReport report;
    report.method = options_.method;
    report.documents = sums_.documents;
    report.words = sums_.words;
    report.bigrams = sums_.lengths[2];
    report.trigrams = sums_.lengths[3];
    report.tokens = sums_.lengths[1] + report.bigrams + report.trigrams;
    report.pmi = static_cast<double>(sums_.score) / kScoreUnit;
    return report;
  }

 private:
  void work() {
    LineWriter writer(options_);
    DocumentExtractor documents(options_.field);
    CorpusBlock block;
    const auto work_on = [&] {
      writer.start();
      return documents.for_each(block, reader_.input_name(block.input),
                                [&](std::string_view document) { writer.add(document); });
    };
    written_.share([&] { return take(block); }, work_on, [&] { return write(writer); });
  }

  Result<bool> take(CorpusBlock& block) {
    SOTTO_ASSIGN(const bool more, reader_.next(block));
    const std::lock_guard lock(written_.mutex());
    bytes_read_ = reader_.bytes_read();
    return more;
  }

  // Output before a failure still goes to standard output; a file does not appear.
  Result<void> write(const LineWriter& writer) {
    if (!go_on()) return fail(Errc::interrupted, "interrupted");
    SOTTO_TRY(output_ ? output_->write(writer.lines())
                      : base::write_standard_output(STDOUT_FILENO, writer.lines()));
    sums_ += writer.sums();
    return {};
  }

  /// Requires the mutex of written_.
  bool go_on() { return !options_.progress || options_.progress(bytes_read_, reader_.total_bytes()); }

  const CorpusTokenizeOptions& options_;
  CorpusReader reader_;
  base::OrderedOutput written_;
  std::optional<base::AtomicFile> output_;
  std::uint64_t bytes_read_ = 0;
  Sums sums_;
};

}  // namespace

Result<CorpusTokenizeReport> tokenize_corpus(const CorpusTokenizeOptions& options) {
  // Small enough that even a short file is spread over the threads.
  constexpr std::size_t kBlock = 256 << 10;
  for (const auto& input : options.inputs)
    if (!options.output.empty()) SOTTO_TRY(base::check_output(options.output, input));
  SOTTO_ASSIGN(CorpusReader reader,
               CorpusReader::open({options.inputs, options.format, options.encoding, kBlock}));
  std::optional<base::AtomicFile> output;
  if (!options.output.empty()) {
    SOTTO_ASSIGN(base::AtomicFile created, base::AtomicFile::create(options.output));
    output.emplace(std::move(created));
  }
  return TokenizeRun(options, std::move(reader), std::move(output)).run();
}

}  // namespace sotto
