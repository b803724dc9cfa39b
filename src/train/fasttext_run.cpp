#include "train/fasttext_run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <mutex>
#include <random>

#include <fasttext/fasttext.h>
#include <fmt/format.h>

#include "base/parallel.hpp"

namespace sotto {
namespace {

/// What the library's own train() does, but that every vector starts at random: it fills a tenth of the
/// matrix for each thread, and with few threads most vectors begin as zeros, equal to each other.
class Trainer : public fasttext::FastText {
 public:
  void run(const fasttext::Args& args, const TrainCallback& callback) {
    args_ = std::make_shared<fasttext::Args>(args);
    dict_ = std::make_shared<fasttext::Dictionary>(args_);
    std::ifstream file(args_->input);
    if (!file) throw std::invalid_argument("cannot be opened");
    dict_->readFromFile(file);
    input_ = random_matrix();
    output_ = createTrainOutputMatrix();
    quant_ = false;
    model_ = std::make_shared<fasttext::Model>(input_, output_, createLoss(output_), false);
    startThreads(callback);
  }

  std::uint64_t tokens_done() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokenCount_));
  }
  std::uint64_t tokens_in_all() const {
    return static_cast<std::uint64_t>(dict_->ntokens()) * static_cast<std::uint64_t>(args_->epoch);
  }
  double loss() const { return static_cast<double>(loss_.load()); }

 private:
  std::shared_ptr<fasttext::DenseMatrix> random_matrix() const {
    auto matrix = std::make_shared<fasttext::DenseMatrix>(dict_->nwords() + args_->bucket, args_->dim);
    std::mt19937 generator(static_cast<std::uint32_t>(args_->seed));
    const double width = 2.0 / args_->dim;
    for (std::int64_t i = 0; i < matrix->rows() * matrix->cols(); ++i)
      matrix->data()[i] = static_cast<float>(width * (static_cast<double>(generator()) * 0x1p-32 - 0.5));
    return matrix;
  }
};

fasttext::Args fasttext_args(const std::filesystem::path& tokens, const TrainOptions& options) {
  fasttext::Args args;
  args.input = tokens.string();
  args.model =
      options.algorithm == TrainingAlgorithm::cbow ? fasttext::model_name::cbow : fasttext::model_name::sg;
  args.loss = fasttext::loss_name::ns;
  args.dim = static_cast<int>(options.dimension);
  args.epoch = static_cast<int>(options.epochs);
  args.ws = static_cast<int>(options.window);
  args.neg = static_cast<int>(options.negatives);
  args.minCount = static_cast<int>(options.min_count);
  args.lr = options.learning_rate;
  args.t = options.subsampling;
  args.seed = static_cast<int>(options.seed);
  args.thread = static_cast<int>(thread_count(options.threads));
  args.verbose = 0;
  args.wordNgrams = 1;
  if (!options.subwords) {
    args.minn = 0;
    args.maxn = 0;
    args.bucket = 0;  // otherwise two million rows are made that nobody uses
  }
  return args;
}

}  // namespace

struct FasttextRun::Impl {
  Trainer trainer;
  std::vector<std::int64_t> counts;
  std::shared_ptr<const fasttext::DenseMatrix> outputs;
};

FasttextRun::FasttextRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FasttextRun::FasttextRun(FasttextRun&& other) noexcept = default;
FasttextRun& FasttextRun::operator=(FasttextRun&& other) noexcept = default;
FasttextRun::~FasttextRun() = default;

Result<FasttextRun> FasttextRun::train(const std::filesystem::path& tokens, const TrainOptions& options) {
  auto impl = std::make_unique<Impl>();
  Trainer& trainer = impl->trainer;
  std::mutex mutex;
  bool stopped = false;
  // Called by all threads of the library, a few times a second each.
  const auto callback = [&](float, float, double, double, std::int64_t) {
    const std::lock_guard lock(mutex);
    if (stopped || !options.progress) return;
    if (options.progress(TrainingPhase::training, trainer.tokens_done(), trainer.tokens_in_all())) return;
    stopped = true;
    trainer.abort();
  };
  try {
    trainer.run(fasttext_args(tokens, options), callback);
    impl->counts = trainer.getDictionary()->getCounts(fasttext::entry_type::word);
    impl->outputs = trainer.getOutputMatrix();
  } catch (const fasttext::FastText::AbortError&) {
    return fail(Errc::interrupted, "interrupted");
  } catch (const fasttext::DenseMatrix::EncounteredNaNError&) {
    return fail(Errc::limit, fmt::format("the vectors grew beyond all bounds; give a learning rate below {}",
                                         options.learning_rate));
  } catch (const std::bad_alloc&) {
    return fail(Errc::limit, "not enough memory for the vectors");
  } catch (const std::exception& error) {
    return fail(Errc::io, fmt::format("{}: {}", tokens.string(), error.what()));
  }
  if (std::isnan(trainer.loss()))
    return fail(
        Errc::bad_format,
        fmt::format("the corpus is too small: with subsampling {} no word of it was left to learn from",
                    options.subsampling));
  return FasttextRun(std::move(impl));
}

std::uint32_t FasttextRun::size() const {
  return static_cast<std::uint32_t>(impl_->counts.size());
}

std::string FasttextRun::token(std::uint32_t id) const {
  return impl_->trainer.getDictionary()->getWord(static_cast<std::int32_t>(id));
}

std::uint64_t FasttextRun::count(std::uint32_t id) const {
  return static_cast<std::uint64_t>(impl_->counts[id]);
}

bool FasttextRun::is_sentence_end(std::string_view token) {
  return token == fasttext::Dictionary::EOS;
}

void FasttextRun::input_vector(std::uint32_t id, std::span<float> out) const {
  fasttext::Vector vector(static_cast<std::int64_t>(out.size()));
  impl_->trainer.getWordVector(vector, token(id));
  std::copy_n(vector.data(), out.size(), out.data());
}

void FasttextRun::output_vector(std::uint32_t id, std::span<float> out) const {
  std::copy_n(impl_->outputs->data() + std::size_t{id} * out.size(), out.size(), out.data());
}

double FasttextRun::loss() const {
  return impl_->trainer.loss();
}

}  // namespace sotto
