#include "train/corpus_tokens.hpp"

#include <mutex>
#include <string>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "base/ordered_output.hpp"
#include "base/parallel.hpp"
#include "collocation/corpus_reader.hpp"
#include "collocation/segmenter.hpp"
#include "text/letter_case.hpp"

namespace sotto::train {
namespace {

/// Sentences of a document as words and phrases; one per thread.
class SentenceCutter {
 public:
  SentenceCutter(std::shared_ptr<const PhraseTable> table, Segmentation method,
                 const std::vector<bool>* allowed)
      : segmenter_(std::move(table), method, allowed) {}

  /// Calls word(spelling), phrase(id, words) and end_of_sentence().
  template <class Word, class Phrase, class End>
  void cut(std::string_view text, const Word& word, const Phrase& phrase, const End& end_of_sentence) {
    tokenize(text, tokens_);
    segmenter_.segment(text, tokens_, pieces_);
    std::size_t piece = 0;
    for (const TokenRange& sentence : split_sentences(text, tokens_)) {
      for (; piece < pieces_.size() && pieces_[piece].first < sentence.last; ++piece) {
        const collocation::Piece& p = pieces_[piece];
        if (p.phrase != kNoPhrase)
          phrase(p.phrase, p.length);
        else if (tokens_[p.first].token_class == TokenClass::word)
          word(spelling(text, tokens_[p.first]));
      }
      end_of_sentence();
    }
  }

 private:
  std::string_view spelling(std::string_view text, const Token& token) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (!token.ascii) {
      spelling_ = text::lookup_form(word);
    } else {
      spelling_.resize(word.size());
      text::lower_ascii(word, spelling_.data());
    }
    return spelling_;
  }

  collocation::Segmenter segmenter_;
  std::vector<Token> tokens_;
  std::vector<collocation::Piece> pieces_;
  std::string spelling_;
};

/// Threads take blocks of the corpus in turn; the results are delivered in corpus order.
class CorpusPass {
 public:
  CorpusPass(const TrainOptions& options, TrainingPhase phase, collocation::CorpusReader reader)
      : options_(options), phase_(phase), reader_(std::move(reader)) {}

  /// Calls make_worker() in each thread; a worker has Result<void> work(block, name); Result<void> hand_in(),
  /// called for one block at a time in corpus order; and finish(), called for one thread at a time when the
  /// thread has nothing left to do.
  template <class MakeWorker>
  Result<void> run(const MakeWorker& make_worker) {
    return turns_.run(base::thread_count(options_.threads), [&] {
      auto worker = make_worker();
      collocation::CorpusBlock block;
      turns_.share([&] { return take(block); },
                   [&] { return worker.work(block, reader_.input_name(block.input)); },
                   [&] { return worker.hand_in(); });
      const std::lock_guard lock(turns_.mutex());
      worker.finish();
    });
  }

 private:
  Result<bool> take(collocation::CorpusBlock& block) {
    if (options_.progress && !options_.progress(phase_, reader_.bytes_read(), reader_.total_bytes()))
      return fail(Errc::interrupted, "interrupted");
    return reader_.next(block);
  }

  const TrainOptions& options_;
  TrainingPhase phase_;
  collocation::CorpusReader reader_;
  base::OrderedOutput turns_;
};

std::uint32_t phrases_in(const PhraseTable* table) {
  return table == nullptr ? 0 : table->size();
}

class Counter {
 public:
  Counter(const TrainOptions& options, const std::shared_ptr<const PhraseTable>& table, TokenCounts& sum)
      : documents_(options.field),
        cutter_(table, options.method, nullptr),
        counts_(phrases_in(table.get())),
        sum_(sum) {}

  Result<void> work(const collocation::CorpusBlock& block, std::string_view name) {
    return documents_.for_each(block, name, [this](std::string_view text) {
      cutter_.cut(
          text, [this](std::string_view word) { counts_.add_word(word); },
          [this](PhraseId phrase, std::uint32_t) { counts_.add_phrase(phrase); }, [] {});
    });
  }
  static Result<void> hand_in() { return {}; }
  void finish() { sum_.add(counts_); }

 private:
  collocation::DocumentExtractor documents_;
  SentenceCutter cutter_;
  TokenCounts counts_;
  TokenCounts& sum_;
};

class Writer {
 public:
  Writer(const TrainOptions& options, const std::shared_ptr<const PhraseTable>& table,
         const TokenVocabulary& vocabulary, base::AtomicFile& file, TokenizedCorpus& sum)
      : documents_(options.field),
        table_(table.get()),
        vocabulary_(vocabulary),
        cutter_(table, options.method, &vocabulary.phrases),
        file_(file),
        sum_(sum) {}

  Result<void> work(const collocation::CorpusBlock& block, std::string_view name) {
    out_.clear();
    return documents_.for_each(block, name, [this](std::string_view text) { add_document(text); });
  }
  Result<void> hand_in() { return file_.write(out_); }
  void finish() {
    sum_.documents += corpus_.documents;
    sum_.words += corpus_.words;
    sum_.tokens += corpus_.tokens;
  }

 private:
  void add_document(std::string_view text) {
    ++corpus_.documents;
    cutter_.cut(
        text,
        [this](std::string_view word) {
          ++corpus_.words;
          if (vocabulary_.words.find(word) != embed::WordIndex::kNone) add_token(word);
        },
        [this](PhraseId phrase, std::uint32_t words) {
          corpus_.words += words;
          add_token(table_->phrase(phrase));
        },
        [this] {
          if (!out_.empty() && out_.back() == ' ') out_.back() = '\n';
        });
  }

  void add_token(std::string_view token) {
    ++corpus_.tokens;
    out_.append(token).push_back(' ');
  }

  collocation::DocumentExtractor documents_;
  const PhraseTable* table_;
  const TokenVocabulary& vocabulary_;
  SentenceCutter cutter_;
  base::AtomicFile& file_;
  TokenizedCorpus& sum_;
  std::string out_;
  TokenizedCorpus corpus_;
};

}  // namespace

Result<TokenCounts> count_tokens(const TrainOptions& options,
                                 const std::shared_ptr<const PhraseTable>& table) {
  TokenCounts sum(phrases_in(table.get()));
  SOTTO_ASSIGN(collocation::CorpusReader reader,
               collocation::CorpusReader::open({options.inputs, options.format, options.encoding}));
  SOTTO_TRY(CorpusPass(options, TrainingPhase::counting, std::move(reader)).run([&] {
    return Counter(options, table, sum);
  }));
  return sum;
}

Result<TokenizedCorpus> write_tokens(const TrainOptions& options,
                                     const std::shared_ptr<const PhraseTable>& table,
                                     const TokenVocabulary& vocabulary, const std::filesystem::path& output) {
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(output));
  TokenizedCorpus sum;
  SOTTO_ASSIGN(collocation::CorpusReader reader,
               collocation::CorpusReader::open({options.inputs, options.format, options.encoding}));
  SOTTO_TRY(CorpusPass(options, TrainingPhase::tokenizing, std::move(reader)).run([&] {
    return Writer(options, table, vocabulary, file, sum);
  }));
  SOTTO_TRY(file.commit());
  return sum;
}

}  // namespace sotto::train
