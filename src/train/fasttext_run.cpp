#include "train/fasttext_run.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "train/fasttext_trainer.hpp"

namespace sotto::train {
namespace {

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
  args.thread = static_cast<int>(base::thread_count(options.threads));
  args.verbose = 0;
  args.wordNgrams = 1;
  if (!options.subwords) {
    args.minn = 0;
    args.maxn = 0;
    args.bucket = 0;  // otherwise two million unused rows are created
  }
  return args;
}

}  // namespace

struct FasttextRun::Impl {
  FasttextTrainer trainer;
  std::vector<std::int64_t> counts;
  std::shared_ptr<const fasttext::DenseMatrix> outputs;
};

FasttextRun::FasttextRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FasttextRun::FasttextRun(FasttextRun&& other) noexcept = default;
FasttextRun& FasttextRun::operator=(FasttextRun&& other) noexcept = default;
FasttextRun::~FasttextRun() = default;

Result<FasttextRun> FasttextRun::train(const std::filesystem::path& tokens, const TrainOptions& options) {
  auto impl = std::make_unique<Impl>();
  FasttextTrainer& trainer = impl->trainer;
  std::mutex mutex;
  bool stopped = false;
  // Called by all threads of the library, a few times per second each.
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

}  // namespace sotto::train
