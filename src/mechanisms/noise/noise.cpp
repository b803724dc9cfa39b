#include "mechanisms/noise/noise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "mechanisms/noise/noisy_neighbours.hpp"

namespace sotto::mechanism {
namespace {

// Longer vectors are shortened to this; distances then stay exact, and are 2^14 times those of the words.
constexpr double kLargestLength = 0x1p30;

// The nearest integer, ties to even, for |x| below 2^31. Avoids a call: SSE2 has no rounding instruction.
std::int32_t round_to_grid(double x) {
  constexpr double kRound = 0x1.8p52;
  return static_cast<std::int32_t>((x + kRound) - kRound);
}

template <class Integer>
double add_noise(const Integer* vector, std::span<double> noise, double length) {
  // Four sums, always the same four: faster than one and equally reproducible.
  double squares[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= noise.size(); i += 4) {
    for (std::size_t j = 0; j < 4; ++j) {
      noise[i + j] = vector[i + j] + length * noise[i + j];
      squares[j] += noise[i + j] * noise[i + j];
    }
  }
  for (; i < noise.size(); ++i) {
    noise[i] = vector[i] + length * noise[i];
    squares[0] += noise[i] * noise[i];
  }
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

/// Draws as tokens are added; searches a full block at a time, so memory does not grow with the document.
class NoisyTokens final : public PendingTokens {
 public:
  explicit NoisyTokens(const NoiseMechanism& mechanism)
      : mechanism_(mechanism),
        batch_(mechanism.space(),
               {mechanism.epsilon(), mechanism.shape(), mechanism.neighbours(), mechanism.needs_coin()}) {}

  void add(std::span<const TokenId> in, BitSource& bits) override {
    for (const TokenId word : in) {
      if (batch_.size() == mechanism_.good_batch()) find_outputs();
      batch_.add(word, bits);
    }
  }

  void resolve(std::span<TokenId> out) override {
    find_outputs();
    SOTTO_CHECK(out.size() == outputs_.size());
    std::copy(outputs_.begin(), outputs_.end(), out.begin());
    outputs_.clear();
  }

 private:
  void find_outputs() {
    batch_.find([&](const NoisyNeighbours::Found& found) {
      outputs_.push_back(mechanism_.choose(found.word, found.nearest, found.coin));
    });
  }

  const NoiseMechanism& mechanism_;
  NoisyNeighbours batch_;
  std::vector<TokenId> outputs_;
};

}  // namespace

NoiseSpace::NoiseSpace(std::shared_ptr<const Model> model, embed::NearestSearch search)
    : model_(std::move(model)), search_(std::move(search)), mean_(bottom_vector(*model_)) {}

Result<std::shared_ptr<const NoiseSpace>> NoiseSpace::make(std::shared_ptr<const Model> model) {
  if (model->dimension() == 0)
    return fail_parameter("model", model->name(),
                          fmt::format("'{}' has no vectors; give a vector model", model->name()));
  SOTTO_ASSIGN(embed::NearestSearch search, embed::NearestSearch::create(*model));
  return std::shared_ptr<const NoiseSpace>(new NoiseSpace(std::move(model), std::move(search)));
}

void NoiseSpace::copy_vector(TokenId word, std::span<std::int16_t> out) const {
  SOTTO_CHECK(word <= model_->bottom());
  const std::size_t begin = std::size_t{word} * dimension();
  if (word == model_->bottom()) {
    std::copy(mean_.begin(), mean_.end(), out.begin());
  } else if (model_->bits() == 16) {
    std::copy_n(model_->vectors16().data() + begin, dimension(), out.begin());
  } else {
    std::copy_n(model_->vectors8().data() + begin, dimension(), out.begin());
  }
}

void NoiseSpace::noisy_vector(TokenId word, std::span<double> direction, double length,
                              std::span<std::int32_t> out) const {
  SOTTO_CHECK(word <= model_->bottom());
  const std::size_t begin = std::size_t{word} * dimension();
  double square = 0;
  if (word == model_->bottom()) {
    square = add_noise(mean_.data(), direction, length);
  } else if (model_->bits() == 16) {
    square = add_noise(model_->vectors16().data() + begin, direction, length);
  } else {
    square = add_noise(model_->vectors8().data() + begin, direction, length);
  }
  const double norm = std::sqrt(square);
  if (norm > kLargestLength) [[unlikely]]
    for (double& x : direction) x *= kLargestLength / norm;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = round_to_grid(direction[i]);
}

std::unique_ptr<PendingTokens> NoiseMechanism::make_pending() const {
  return std::make_unique<NoisyTokens>(*this);
}

Guarantee NoiseMechanism::analytic_guarantee(std::string metric, std::string_view symbol) const {
  return {
      .kind = GuaranteeKind::analytic,
      .unit = {std::move(metric), space_->model().digest()},
      .scope = GuaranteeScope::all_inputs,
      .epsilon = epsilon_,
      .assumptions = {"real-valued noise: it is drawn in floating point and rounded to the model's grid",
                      "the keyed stream is indistinguishable from uniform bits"},
      .statement = fmt::format("For any two words, and words outside the vocabulary, the probabilities of "
                               "each output differ at most by the factor exp({} {}.",
                               epsilon_, symbol)};
}

}  // namespace sotto::mechanism
