#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/train.hpp>

#include "base/stopwatch.hpp"
#include "collocation/phrase_writer.hpp"
#include "embed/fixed_point_model.hpp"
#include "embed/model_file.hpp"
#include "train/corpus_tokens.hpp"
#include "train/fasttext_run.hpp"
#include "train/refine.hpp"
#include "train/train_options.hpp"
#include "train/work_folder.hpp"

namespace sotto {
using namespace train;
namespace {

/// Metadata about the training, unless the user gave a value under the same name.
void describe(const TrainOptions& options, const PhraseTable* table, base::Metadata& metadata) {
  std::vector<std::string> names;
  for (const std::filesystem::path& input : options.inputs) names.push_back(input.filename().string());
  metadata.emplace("corpus", fmt::format("{}", fmt::join(names, ", ")));
  metadata.emplace(
      "training",
      fmt::format("fastText {}, {} dimensions, {} epochs, window {}, {} negative samples, learning rate "
                  "{}, subsampling {}, subwords {}, minimum count {}, finish {}",
                  to_string(options.algorithm), options.dimension, options.epochs, options.window,
                  options.negatives, options.learning_rate, options.subsampling,
                  options.subwords ? "on" : "off", options.min_count, to_string(options.finish)));
  if (table != nullptr)
    metadata.emplace("collocations",
                     fmt::format("{}, phrase table {}", to_string(options.method), table->digest()));
}

Result<TokenizedCorpus> tokenize_corpus(const TrainOptions& options,
                                        const std::shared_ptr<const PhraseTable>& table, WorkFolder& work) {
  std::optional<embed::WordSelection> selection;
  if (options.vocabulary) {
    SOTTO_ASSIGN(selection, embed::read_word_selection(*options.vocabulary));
  }
  work.clear();
  SOTTO_ASSIGN(TokenCounts counts, count_tokens(options, table));
  const TokenVocabulary vocabulary = choose_vocabulary(
      std::move(counts), table.get(), {options.min_count, options.limit, selection ? &*selection : nullptr});
  if (vocabulary.words.size() == 0)
    return fail(Errc::bad_format,
                fmt::format("no word of the corpus occurs {} times; give a smaller minimum count",
                            options.min_count));
  SOTTO_ASSIGN(const TokenizedCorpus corpus, write_tokens(options, table, vocabulary, work.tokens()));
  SOTTO_TRY(work.record(corpus));
  return corpus;
}

/// The ids of the words of the model, most frequent first.
std::vector<std::uint32_t> words_by_count(const FasttextRun& run) {
  std::vector<std::string> tokens(run.size());
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < run.size(); ++id) {
    tokens[id] = run.token(id);
    if (!FasttextRun::is_sentence_end(tokens[id])) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return run.count(a) != run.count(b) ? run.count(a) > run.count(b) : tokens[a] < tokens[b];
  });
  return ids;
}

FloatRows finished_vectors(const FasttextRun& run, const std::vector<std::uint32_t>& ids,
                           const TrainOptions& options) {
  FloatRows rows(ids.size(), options.dimension);
  std::vector<float> output(options.dimension);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    run.input_vector(ids[row], rows[row]);
    if (options.finish == VectorFinish::raw) continue;
    run.output_vector(ids[row], output);
    scale_to_unit(rows[row]);
    scale_to_unit(output);
    for (std::size_t i = 0; i < output.size(); ++i) rows[row][i] += output[i];
    scale_to_unit(rows[row]);
  }
  if (options.finish == VectorFinish::refined) refine(rows);
  return rows;
}

/// The table of a model: words and vectors in order, counts.
Result<embed::VectorTable> make_table(const FasttextRun& run, const TrainOptions& options) {
  const std::vector<std::uint32_t> ids = words_by_count(run);
  const FloatRows rows = finished_vectors(run, ids, options);
  embed::VectorTable table(0, nullptr);
  const std::string name = options.output.string();
  SOTTO_TRY(table.set_dimension(options.dimension, {name, "word", 0}));
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    const embed::Place place{name, "word", row + 1};
    SOTTO_TRY(table.add_word(run.token(ids[row]), place));
    std::copy_n(rows[row].data(), options.dimension, table.add_values().data());
    SOTTO_TRY(table.finish_row(row, place));
    table.counts().push_back(run.count(ids[row]));
  }
  if (table.largest_value() == 0)
    return fail(Errc::bad_format,
                fmt::format("{} words are too few to tell them apart; give a larger corpus", ids.size()));
  return table;
}

/// The phrases that are words of the model, counted in the report.
Result<collocation::PhraseTensors> phrases_of(const embed::VectorTable& vectors, const PhraseTable& phrases,
                                              TrainReport& report) {
  std::vector<bool> keep(phrases.size(), false);
  for (std::uint32_t row = 0; row < vectors.words().size(); ++row) {
    const std::string_view word = vectors.words()[row];
    const auto joints = std::count(word.begin(), word.end(), kPhraseJoint);
    if (joints == 0) continue;
    const PhraseId phrase = phrases.find(word);
    if (phrase == kNoPhrase)
      return fail(Errc::bad_format,
                  fmt::format("{}: damaged; a phrase was in it and is not found", phrases.path().string()));
    keep[phrase] = true;
    ++(joints == 1 ? report.bigrams : report.trigrams);
  }
  SOTTO_ASSIGN(collocation::PhraseParts parts, collocation::select_phrases(phrases, keep));
  return collocation::make_phrase_tensors(std::move(parts));
}

Result<void> write_trained(const TrainOptions& options, const FasttextRun& run, const PhraseTable* phrases,
                           base::Metadata metadata, TrainReport& report) {
  SOTTO_ASSIGN(embed::VectorTable table, make_table(run, options));
  embed::FixedPointOptions fixed_point{options.output, options.bits, std::move(metadata), {}};
  describe(options, phrases, fixed_point.metadata);
  if (phrases != nullptr) {
    SOTTO_ASSIGN(collocation::PhraseTensors embedded, phrases_of(table, *phrases, report));
    fixed_point.further = std::move(embedded.tensors);
    for (auto& [key, value] : embedded.metadata) fixed_point.metadata.insert_or_assign(key, std::move(value));
  }
  SOTTO_ASSIGN(embed::FixedPointReport written,
               embed::write_fixed_point_model(table, table.order(), table.counts(), std::move(fixed_point)));
  report.vocabulary = written.words;
  report.scale = written.scale;
  report.largest_error = written.largest_error;
  report.sha256 = std::move(written.sha256);
  return {};
}

}  // namespace

Result<TrainReport> train_vectors(const TrainOptions& options) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_train_options(options));
  SOTTO_ASSIGN(base::Metadata metadata, embed::check_metadata(options.metadata));
  std::shared_ptr<const PhraseTable> phrases;
  if (options.phrases) {
    SOTTO_ASSIGN(phrases, PhraseTable::open(*options.phrases));
  }
  SOTTO_ASSIGN(std::string key, corpus_key(options, phrases == nullptr ? "" : phrases->digest()));
  SOTTO_ASSIGN(WorkFolder work, WorkFolder::open(options, std::move(key)));
  TrainReport report;
  report.file = options.output;
  TokenizedCorpus corpus;
  report.resumed = work.holds(corpus);
  if (!report.resumed) {
    SOTTO_ASSIGN(corpus, tokenize_corpus(options, phrases, work));
  }
  report.documents = corpus.documents;
  report.words = corpus.words;
  report.tokens = corpus.tokens;

  const base::Stopwatch training;
  Result<FasttextRun> run = FasttextRun::train(work.tokens(), options);
  if (!run && run.error().code == Errc::interrupted)
    return fail(
        Errc::interrupted,
        fmt::format(
            "interrupted; the tokenized corpus stays in {}, and the same command continues from there",
            work.tokens().parent_path().string()));
  if (!run) return tl::unexpected(std::move(run.error()));
  report.training_seconds = training.seconds();
  report.tokens_per_second = static_cast<double>(corpus.tokens) * options.epochs / report.training_seconds;
  report.loss = run->loss();
  SOTTO_TRY(write_trained(options, *run, phrases.get(), std::move(metadata), report));
  if (!options.keep_work) work.finish();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace sotto
