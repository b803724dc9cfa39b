#include "evaluate/classifiers/fasttext_classifier.hpp"

#include <charconv>
#include <numeric>
#include <sstream>
#include <unordered_set>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "evaluate/metrics/text_metrics.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"
#include "train/fasttext_trainer.hpp"

namespace sotto::evaluate {
namespace {

// Every token of a text starts with one of the first three, so that no text can contain a label or the
// library's end-of-line mark. In a pair, words common to both texts get a separate token: otherwise a linear
// model could not see that the two agree.
constexpr std::string_view kFirstText = "a:";
constexpr std::string_view kSecondText = "b:";
constexpr std::string_view kBothTexts = "ab:";
constexpr std::string_view kLabel = "label:";

struct FasttextParameters {
  int dimension;
  int epochs;
  double learning_rate;
  int word_ngrams;
  int buckets;
  int min_count;
};

void append_token(std::string& line, std::string_view prefix, std::string_view word) {
  line += ' ';
  line += prefix;
  // The library treats these as blanks, or would end the text at them.
  for (const char c : word) line += static_cast<unsigned char>(c) < ' ' ? '?' : c;
}

/// The tokens of a text or a pair, each after a blank; ends the line.
std::string line_of(const LabelledText& text, bool pairs) {
  std::string line;
  const std::vector<std::string> first = tokens_of(text.text);
  for (const std::string& token : first) append_token(line, kFirstText, token);
  if (pairs) {
    const std::unordered_set<std::string> known(first.begin(), first.end());
    for (const std::string& token : tokens_of(text.text_b)) {
      append_token(line, kSecondText, token);
      if (known.contains(token)) append_token(line, kBothTexts, token);
    }
  }
  return line + '\n';
}

/// A random order of the texts: the library takes them in order, and from a file sorted by class it learns
/// little but the last class.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random::ChaChaBitSource bits(random::key_from_seed(seed));
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[random::uniform_below(bits, left)]);
  return order;
}

/// The training texts in memory, under a name that the library can open, without a trace on disk.
Result<base::FileDescriptor> training_file(std::span<const LabelledText> train, bool pairs,
                                           std::uint64_t seed) {
  base::FileDescriptor file(::memfd_create("sotto-training", MFD_CLOEXEC));
  if (file.get() < 0) return fail(Errc::io, "cannot make a file in memory for the training texts");
  std::string lines;
  constexpr std::size_t kAtOnce = 1 << 20;
  for (const std::size_t i : shuffled(train.size(), seed)) {
    lines += fmt::format("{}{}{}", kLabel, train[i].label, line_of(train[i], pairs));
    if (lines.size() < kAtOnce) continue;
    SOTTO_TRY(base::write_all(file.get(), lines, "training texts"));
    lines.clear();
  }
  SOTTO_TRY(base::write_all(file.get(), lines, "training texts"));
  return file;
}

fasttext::Args fasttext_args(const FasttextParameters& parameters, int descriptor, std::uint64_t seed) {
  fasttext::Args args;
  args.input = fmt::format("/proc/self/fd/{}", descriptor);
  args.model = fasttext::model_name::sup;
  args.loss = fasttext::loss_name::softmax;
  args.label = kLabel;
  args.dim = parameters.dimension;
  args.epoch = parameters.epochs;
  args.lr = parameters.learning_rate;
  args.wordNgrams = parameters.word_ngrams;
  args.bucket = parameters.word_ngrams > 1 ? parameters.buckets : 0;
  args.minCount = parameters.min_count;
  args.minCountLabel = 0;
  args.minn = 0;
  args.maxn = 0;
  args.thread = 1;  // with more, the result would depend on their timing
  args.seed = static_cast<int>(seed & 0x7FFFFFFF);
  args.verbose = 0;
  return args;
}

class FasttextClassifier final : public Classifier {
 public:
  explicit FasttextClassifier(const FasttextParameters& parameters) : parameters_(parameters) {}

  Result<void> fit(const Task& task, std::span<const LabelledText> train, std::span<const LabelledText>,
                   std::uint64_t seed, const ProgressCallback& progress) override {
    if (task.kind != TaskKind::classification)
      return fail(
          Errc::invalid_argument,
          "classifier fasttext: it learns classes, not values; give another one for a regression task");
    pairs_ = task.pairs;
    SOTTO_ASSIGN(const base::FileDescriptor file, training_file(train, pairs_, seed));
    trainer_ = std::make_unique<train::FasttextTrainer>();
    return run(fasttext_args(parameters_, file.get(), seed), progress);
  }

  Result<std::vector<Prediction>> predict(std::span<const LabelledText> texts) override {
    if (!trainer_) return fail(Errc::invalid_argument, "classifier fasttext: nothing has been learnt yet");
    std::vector<Prediction> predictions;
    predictions.reserve(texts.size());
    std::vector<std::pair<fasttext::real, std::string>> best;
    for (const LabelledText& text : texts) {
      std::istringstream line(line_of(text, pairs_));
      trainer_->predictLine(line, best, 1, 0);
      Prediction prediction;
      // The library returns nothing for a text without a known token; it then gets the first label, the most
      // frequent one.
      const std::string label = best.empty() ? trainer_->getDictionary()->getLabel(0) : best[0].second;
      std::from_chars(label.data() + kLabel.size(), label.data() + label.size(), prediction.label);
      prediction.value = best.empty() ? 0 : static_cast<double>(best[0].first);
      predictions.push_back(prediction);
    }
    return predictions;
  }

 private:
  Result<void> run(const fasttext::Args& args, const ProgressCallback& progress) {
    bool stopped = false;
    const auto callback = [&](float, float, double, double, std::int64_t) {
      if (stopped || !progress || progress(trainer_->tokens_done(), trainer_->tokens_in_all())) return;
      stopped = true;
      trainer_->abort();
    };
    try {
      trainer_->run(args, callback);
      return {};
    } catch (const fasttext::FastText::AbortError&) {
      trainer_.reset();
      return fail(Errc::interrupted, "interrupted");
    } catch (const fasttext::DenseMatrix::EncounteredNaNError&) {
      trainer_.reset();
      return fail(
          Errc::limit,
          fmt::format(
              "classifier fasttext: the vectors grew beyond all bounds; give a learning_rate below {}",
              parameters_.learning_rate));
    } catch (const std::exception& error) {
      trainer_.reset();
      return fail(Errc::io, fmt::format("classifier fasttext: training data: {}", error.what()));
    }
  }

  FasttextParameters parameters_;
  bool pairs_ = false;
  std::unique_ptr<train::FasttextTrainer> trainer_;
};

Result<int> whole_number(const ParameterValues& parameters, const std::string& name, std::uint64_t low,
                         std::uint64_t high) {
  auto value = read_integer(name, parameters.at(name), low, high);
  if (!value) return base::fail_at("classifier fasttext", std::move(value.error()));
  return static_cast<int>(*value);
}

}  // namespace

const ClassifierInfo& fasttext_classifier_info() {
  static const ClassifierInfo info = {
      "fasttext",
      "a linear model over averaged vectors of words and word pairs; seconds on one core, no validation "
      "needed",
      {{"dimension", "50", "of the vectors, 1 to 1000"},
       {"epochs", "10", "passes over the training texts, 1 to 1000"},
       {"learning_rate", "0.1", "at the start, 0.000001 to 10"},
       {"word_ngrams", "2", "longest sequence of words with a vector of its own, 1 to 5"},
       {"buckets", "200000", "vectors that the word sequences share, 1 to 10000000"},
       {"min_count", "1", "rarer words are left out, 1 to 1000000"}}};
  return info;
}

Result<std::unique_ptr<Classifier>> make_fasttext_classifier(const ParameterValues& parameters) {
  FasttextParameters checked{};
  SOTTO_ASSIGN(checked.dimension, whole_number(parameters, "dimension", 1, 1000));
  SOTTO_ASSIGN(checked.epochs, whole_number(parameters, "epochs", 1, 1000));
  auto learning_rate = read_number("learning_rate", parameters.at("learning_rate"), 1e-6, 10);
  if (!learning_rate) return base::fail_at("classifier fasttext", std::move(learning_rate.error()));
  checked.learning_rate = *learning_rate;
  SOTTO_ASSIGN(checked.word_ngrams, whole_number(parameters, "word_ngrams", 1, 5));
  SOTTO_ASSIGN(checked.buckets, whole_number(parameters, "buckets", 1, 10'000'000));
  SOTTO_ASSIGN(checked.min_count, whole_number(parameters, "min_count", 1, 1'000'000));
  return std::make_unique<FasttextClassifier>(checked);
}

}  // namespace sotto::evaluate
