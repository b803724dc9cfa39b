// sotto train vectors
#include <optional>

#include <fmt/format.h>

#include "choices.hpp"
#include "collocations.hpp"
#include "command.hpp"
#include "interruption.hpp"
#include "progress_bar.hpp"

namespace sotto::cli {
namespace {

struct TrainArguments {
  std::vector<std::string> inputs, metadata;
  std::string output, encoding, format, field = "text", phrases, method, vocabulary, min_count = "5",
                                        limit = "0";
  std::string algorithm = "skipgram", dim = "300", epochs = "5", window = "5", negatives = "5";
  std::string learning_rate = "0.05", subsampling = "0.0001", seed = "0", threads, finish = "refined",
              bits = "16";
  std::string work;
  bool subwords = false, keep_work = false, json = false, quiet = false;
};

/// One bar per step; the steps count different things.
class PhaseBars {
 public:
  explicit PhaseBars(bool quiet) : quiet_(quiet) {}

  bool update(TrainingPhase phase, std::uint64_t done, std::uint64_t total) {
    if (!bar_ || phase != phase_) {
      bar_.emplace(phase == TrainingPhase::training ? "words" : "B", quiet_);
      phase_ = phase;
    }
    return bar_->callback()(done, total);
  }

 private:
  bool quiet_;
  TrainingPhase phase_ = TrainingPhase::counting;
  std::optional<ProgressBar> bar_;
};

Result<std::uint32_t> parse_number_of(std::string_view option, std::string_view text, std::uint64_t low,
                                      std::uint64_t high) {
  SOTTO_ASSIGN(const std::uint64_t value, parse_integer(option, text, low, high));
  return static_cast<std::uint32_t>(value);
}

Result<void> read_corpus_options(const TrainArguments& a, TrainOptions& options) {
  options.inputs.assign(a.inputs.begin(), a.inputs.end());
  SOTTO_ASSIGN(options.format, parse_corpus_format(a.format));
  if (!a.encoding.empty()) options.encoding = a.encoding;
  options.field = a.field;
  options.output = a.output;

  // A phrase table without a method is meant to be used; the paper's first method is the obvious default.
  const std::string method = !a.method.empty() ? a.method : a.phrases.empty() ? "none" : "gst";
  SOTTO_ASSIGN(options.method, parse_segmentation("method", method, true));
  if (options.method != Segmentation::none && a.phrases.empty())
    return fail(
        Errc::invalid_argument,
        fmt::format(
            "--method: '{}' needs --phrases (make a table with 'sotto collocations count CORPUS -o PHRASES')",
            method));
  if (options.method == Segmentation::none && !a.phrases.empty())
    return fail(Errc::invalid_argument, "--phrases: not used with --method none; give gst, mst or optimal");
  if (!a.phrases.empty()) {
    SOTTO_ASSIGN(const auto table, open_phrases(a.phrases));
    options.phrases = table->path();
  }
  if (!a.vocabulary.empty()) options.vocabulary = a.vocabulary;
  SOTTO_ASSIGN(options.min_count, parse_integer("--min-count", a.min_count, 1, 2'000'000'000));
  SOTTO_ASSIGN(options.limit, parse_integer("--limit", a.limit, 0, 1'000'000'000));
  SOTTO_ASSIGN(options.metadata, parse_metadata(a.metadata));
  if (!a.work.empty()) options.work = a.work;
  options.keep_work = a.keep_work;
  return {};
}

Result<void> read_training_options(const TrainArguments& a, TrainOptions& options) {
  SOTTO_ASSIGN(options.algorithm, parse_training_algorithm("algorithm", a.algorithm));
  SOTTO_ASSIGN(options.dimension, parse_number_of("--dim", a.dim, 1, 32'768));
  SOTTO_ASSIGN(options.epochs, parse_number_of("--epochs", a.epochs, 1, 100'000));
  SOTTO_ASSIGN(options.window, parse_number_of("--window", a.window, 1, 1000));
  SOTTO_ASSIGN(options.negatives, parse_number_of("--negatives", a.negatives, 1, 1000));
  SOTTO_ASSIGN(options.learning_rate, parse_number("--learning-rate", a.learning_rate, 1e-9, 10));
  SOTTO_ASSIGN(options.subsampling, parse_number("--subsampling", a.subsampling, 1e-12, 1));
  options.subwords = a.subwords;
  SOTTO_ASSIGN(options.seed, parse_number_of("--seed", a.seed, 0, 2'000'000'000));
  SOTTO_ASSIGN(options.threads, parse_threads(a.threads));
  SOTTO_ASSIGN(options.finish, parse_vector_finish("finish", a.finish));
  SOTTO_ASSIGN(const std::size_t wide, parse_choice("--bits", a.bits, kBitsNames));
  options.bits = wide == 1 ? 16 : 8;
  return {};
}

std::string as_text(const TrainArguments& a, const TrainReport& report) {
  std::string text = fmt::format("{}: {} words, of which {} are phrases of two words and {} of three\n",
                                 a.output, report.vocabulary, report.bigrams, report.trigrams);
  text += fmt::format("{} tokens from {} words in {} documents{}\n", report.tokens, report.words,
                      report.documents, report.resumed ? ", tokenized by an earlier run" : "");
  text += fmt::format("trained in {:.1f} s, {:.0f} tokens/s, loss {:.4f}; largest rounding error {:.3g}\n",
                      report.training_seconds, report.tokens_per_second, report.loss, report.largest_error);
  return text + fmt::format("sha256 {}\n", report.sha256);
}

Result<void> run(const TrainArguments& a) {
  TrainOptions options;
  SOTTO_TRY(read_corpus_options(a, options));
  SOTTO_TRY(read_training_options(a, options));
  can_be_resumed();
  TrainReport report;
  {
    PhaseBars bars(a.quiet);
    options.progress = [&](TrainingPhase phase, std::uint64_t done, std::uint64_t total) {
      return bars.update(phase, done, total);
    };
    SOTTO_ASSIGN(report, train_vectors(options));
  }
  return print(a.json ? to_json(report) : as_text(a, report));
}

void add_corpus_options(CLI::App& command, TrainArguments& a) {
  command
      .add_option("CORPUS", a.inputs,
                  "Text files, one document per line, or JSON lines; plain, gzip, zstd, xz or bzip2")
      ->required()
      ->type_name("");
  command.add_option("-o,--output", a.output, "Model file to write")->required()->type_name("M");
  add_encoding_option(command, a.encoding);
  add_corpus_format_options(command, a.format, a.field);
  command
      .add_option("--phrases", a.phrases,
                  "Phrase table of 'sotto collocations count', or a model with phrases")
      ->type_name("P");
  command.add_option("--method", a.method,
                     "How phrases are found: gst, mst, optimal or none (default: gst with --phrases)");
  command
      .add_option("--vocabulary", a.vocabulary,
                  "Only these words, and phrases made of them; one word per line")
      ->type_name("FILE");
  command.add_option("--min-count", a.min_count, "Words and phrases that are rarer get no vector")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--limit", a.limit, "Only the N most frequent words and phrases; 0: all")
      ->type_name("N");
}

void add_training_options(CLI::App& command, TrainArguments& a) {
  command.add_option("--algorithm", a.algorithm, "skipgram or cbow")->capture_default_str();
  command.add_option("--dim", a.dim, "Dimensions")->capture_default_str()->type_name("N");
  command.add_option("--epochs", a.epochs, "Passes over the corpus")->capture_default_str()->type_name("N");
  command.add_option("--window", a.window, "Maximum number of context words on each side")
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--negatives", a.negatives, "Negative samples")->capture_default_str()->type_name("N");
  command.add_option("--learning-rate", a.learning_rate, "Initial rate; it falls to 0")
      ->capture_default_str();
  command
      .add_option("--subsampling", a.subsampling,
                  "Words with a larger share of the text are sometimes skipped")
      ->capture_default_str();
  command.add_flag("--subwords", a.subwords, "Let words that are spelled alike share parts of their vectors");
  command.add_option("--seed", a.seed, "With --threads 1 it makes the result reproducible")
      ->capture_default_str();
  command.add_option("--threads", a.threads, "Threads (default: one per processor); 1 is reproducible")
      ->type_name("N");
  command
      .add_option("--finish", a.finish,
                  "refined: better distances and unit length; raw: as training leaves them")
      ->capture_default_str();
  command.add_option("--bits", a.bits, "8 or 16 bits per entry")->capture_default_str();
}

}  // namespace

std::vector<NamedAction> add_train(CLI::App& app) {
  CLI::App* group = app.add_subcommand("train", "Train vectors from text");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  sotto train vectors corpus.txt -o my.safetensors\n\n'sotto train vectors --help' shows "
      "more.");
  CLI::App* command = group->add_subcommand("vectors", "Train vectors for words and phrases with fastText");
  auto a = std::make_shared<TrainArguments>();
  add_corpus_options(*command, *a);
  add_training_options(*command, *a);
  command->add_option("--work", a->work, "Folder for the tokenized corpus (default: M.work)")
      ->type_name("DIR");
  command->add_flag("--keep-work", a->keep_work, "Keep the tokenized corpus for another run");
  add_metadata_option(*command, a->metadata);
  command->add_flag("--json", a->json, "Print JSON");
  command->add_flag("--quiet", a->quiet, "No progress bar");
  command->footer(
      "Examples:\n  sotto collocations count corpus.txt.gz -o phrases.safetensors\n"
      "  sotto train vectors corpus.txt.gz --phrases phrases.safetensors --method gst -o my.safetensors "
      "--bits 8\n"
      "  sotto train vectors corpus.jsonl --field body -o words.safetensors --algorithm cbow --threads 1");
  return {{command, [a] { return run(*a); }}};
}

}  // namespace sotto::cli
