// libfasttext's training loop. Only the files that interface with fastText include this header.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>

#include <fasttext/fasttext.h>

namespace sotto::train {

/// Like the library's own train(), except that every vector starts at random: the library fills a tenth of
/// the matrix per thread, so with few threads most vectors start as zeros, equal to each other. Throws what
/// the library throws.
class FasttextTrainer : public fasttext::FastText {
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
    startThreads([&](float progress, float loss, double speed, double rate, std::int64_t left) {
      check_input();
      callback(progress, loss, speed, rate, left);
    });
  }

  std::uint64_t tokens_done() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokenCount_));
  }
  std::uint64_t tokens_in_all() const {
    return static_cast<std::uint64_t>(dict_->ntokens()) * static_cast<std::uint64_t>(args_->epoch);
  }
  double loss() const { return static_cast<double>(loss_.load()); }

 private:
  /// The library calls back every 64 lines. A read error at the end of the file leaves its stream in a state
  /// in which every further line is empty, and it would read empty lines forever. Real lines have at least
  /// one token, their end.
  void check_input() {
    constexpr std::uint64_t kMostCallsWithoutTokens = 10'000;
    if (const std::int64_t done = tokenCount_; tokens_seen_.exchange(done) != done) {
      calls_without_tokens_ = 0;
      return;
    }
    if (++calls_without_tokens_ == kMostCallsWithoutTokens)
      trainException_ = std::make_exception_ptr(std::runtime_error("cannot be read to its end"));
  }

  std::shared_ptr<fasttext::DenseMatrix> random_matrix() const {
    auto matrix = std::make_shared<fasttext::DenseMatrix>(dict_->nwords() + args_->bucket, args_->dim);
    std::mt19937 generator(static_cast<std::uint32_t>(args_->seed));
    const double width = 2.0 / args_->dim;
    for (std::int64_t i = 0; i < matrix->rows() * matrix->cols(); ++i)
      matrix->data()[i] = static_cast<float>(width * (static_cast<double>(generator()) * 0x1p-32 - 0.5));
    return matrix;
  }

  std::atomic<std::int64_t> tokens_seen_ = -1;
  std::atomic<std::uint64_t> calls_without_tokens_ = 0;
};

}  // namespace sotto::train
