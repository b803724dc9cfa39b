#include "mechanisms/noise/noisy_neighbours.hpp"

#include <algorithm>

#include "mechanisms/noise/noise.hpp"
#include "random/continuous.hpp"

namespace sotto::mechanism {

NoisyNeighbours::NoisyNeighbours(const NoiseSpace& space, const NoiseDraw& draw)
    : space_(space),
      draw_(draw),
      dimension_(space.dimension()),
      per_token_(std::min(draw.neighbours, space.search().size())),
      noise_(dimension_) {}

void NoisyNeighbours::add(TokenId word, BitSource& bits) {
  random::uniform_direction(bits, noise_);
  const double radius = random::gamma_radius(bits, static_cast<unsigned>(dimension_), draw_.epsilon);
  const double coin = draw_.coins ? random::open_uniform(bits) : 0;
  tokens_.push_back({word, radius / space_.model().scale(), coin});
  if (draw_.shape != nullptr) {
    for (const double x : noise_) directions_.push_back(static_cast<float>(x));
    return;
  }
  queries_.resize(tokens_.size() * dimension_);
  space_.noisy_vector(word, noise_, tokens_.back().length, query(tokens_.size() - 1));
}

void NoisyNeighbours::shape_directions() {
  shaped_.resize(directions_.size());
  queries_.resize(directions_.size());
  draw_.shape->multiply(directions_, shaped_);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    std::copy_n(shaped_.begin() + static_cast<std::ptrdiff_t>(i * dimension_), dimension_, noise_.begin());
    space_.noisy_vector(tokens_[i].word, noise_, tokens_[i].length, query(i));
  }
  directions_.clear();
}

void NoisyNeighbours::search() {
  if (tokens_.empty()) return;
  if (draw_.shape != nullptr) shape_directions();
  nearest_.resize(tokens_.size() * per_token_);
  space_.search().nearest(queries_, per_token_, nearest_);
}

void NoisyNeighbours::clear() {
  tokens_.clear();
  queries_.clear();
}

}  // namespace sotto::mechanism
