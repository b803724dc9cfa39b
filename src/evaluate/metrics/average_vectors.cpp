#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "evaluate/metrics/text_metrics.hpp"

namespace sotto::evaluate {
namespace {

/// The direction of a text's mean vector; scale and number of words do not change a cosine, so the integers
/// are only summed.
struct TextVector {
  std::vector<double> sum;
  double norm = 0;
  bool empty = true;
};

template <class Integer>
void add_row(std::vector<double>& sum, std::span<const Integer> vectors, TokenId id) {
  const auto row = vectors.subspan(std::size_t{id} * sum.size(), sum.size());
  for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
}

class AverageVectorSimilarity final : public TextSimilarity {
 public:
  AverageVectorSimilarity(std::shared_ptr<const Model> model, unsigned threads)
      : model_(std::move(model)), threads_(base::thread_count(threads)) {}

  std::string name() const override { return fmt::format("average vectors of {}", model_->name()); }

  Result<std::vector<double>> similarities(std::span<const RewrittenText> pairs) override {
    std::vector<double> cosines(pairs.size());
    base::parallel_for(pairs.size(), 64, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        cosines[i] = cosine(vector_of(pairs[i].original), vector_of(pairs[i].privatized));
    });
    return cosines;
  }

 private:
  TextVector vector_of(std::string_view text) const {
    TextVector vector;
    vector.sum.assign(model_->dimension(), 0);
    for (const std::string& word : words_of(text)) {
      const TokenId id = model_->find(word);
      if (id == model_->bottom()) continue;
      vector.empty = false;
      if (model_->bits() == 8)
        add_row(vector.sum, model_->vectors8(), id);
      else
        add_row(vector.sum, model_->vectors16(), id);
    }
    for (const double value : vector.sum) vector.norm += value * value;
    vector.norm = std::sqrt(vector.norm);
    return vector;
  }

  static double cosine(const TextVector& a, const TextVector& b) {
    if (a.empty && b.empty) return 1;
    if (a.norm == 0 || b.norm == 0) return 0;
    double product = 0;
    for (std::size_t i = 0; i < a.sum.size(); ++i) product += a.sum[i] * b.sum[i];
    return std::clamp(product / a.norm / b.norm, -1.0, 1.0);
  }

  std::shared_ptr<const Model> model_;
  unsigned threads_;
};

}  // namespace

Result<std::unique_ptr<TextSimilarity>> make_average_vector_similarity(std::shared_ptr<const Model> model,
                                                                       unsigned threads) {
  if (model->dimension() == 0)
    return fail(Errc::invalid_argument,
                fmt::format("cosine similarity: model '{}' has no vectors; give one that "
                            "has them",
                            model->name()));
  return std::make_unique<AverageVectorSimilarity>(std::move(model), threads);
}

}  // namespace sotto::evaluate
