// Common parts of the mechanisms that add noise to a word's vector: the noisy vector of each token, on the
// model's integer grid, and the exact search for the words nearest to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sotto/mechanism.hpp>

#include "embed/nearest.hpp"
#include "mechanisms/bottom_vector.hpp"
#include "mechanisms/mechanism_request.hpp"
#include "mechanisms/noise/noise_shape.hpp"

namespace sotto::mechanism {

/// The vectors of a model, in units of its scale. Immutable, so safe to share between threads.
class NoiseSpace {
 public:
  /// Refuses a list set.
  static Result<std::shared_ptr<const NoiseSpace>> make(std::shared_ptr<const Model> model);

  const Model& model() const { return *model_; }
  const embed::NearestSearch& search() const { return search_; }
  std::size_t dimension() const { return model_->dimension(); }

  /// φ(word): dimension() integers. φ(⊥) is the mean of all words, rounded.
  void copy_vector(TokenId word, std::span<std::int16_t> out) const;

  /// The Euclidean distance between two inputs, ⊥ allowed, in the model's units.
  double distance(TokenId a, TokenId b) const { return euclidean_distance(*model_, mean_, a, b); }

  /// φ(word) + length·direction, rounded to the grid; `length` is in units of the model's scale. A vector
  /// longer than 2^30 is first shortened to that length in its own direction: clamping each coordinate would
  /// turn every distant vector towards a corner. Both are functions of the noisy vector alone, so they do not
  /// weaken the guarantee.
  void noisy_vector(TokenId word, std::span<double> direction, double length,
                    std::span<std::int32_t> out) const;

 private:
  NoiseSpace(std::shared_ptr<const Model> model, embed::NearestSearch search);

  std::shared_ptr<const Model> model_;
  embed::NearestSearch search_;
  std::vector<std::int16_t> mean_;
};

/// A mechanism that adds noise with density ∝ exp(−ε·|z|), in the original or a transformed space, and
/// chooses among the words nearest to the noisy vector. Safe to share between threads.
class NoiseMechanism : public Mechanism {
 public:
  NoiseMechanism(std::shared_ptr<const NoiseSpace> space, double epsilon)
      : space_(std::move(space)), epsilon_(epsilon) {}

  std::unique_ptr<PendingTokens> make_pending() const final;
  std::size_t good_batch() const final { return 1024; }
  /// Empty: the row is an integral over the cells of the nearest words.
  std::vector<double> row(TokenId) const final { return {}; }

  const NoiseSpace& space() const { return *space_; }
  double epsilon() const { return epsilon_; }

  /// The number of nearest words that choose() needs.
  virtual std::size_t neighbours() const { return 1; }
  /// Whether choose() needs its coin; if not, none is drawn.
  virtual bool needs_coin() const { return false; }
  /// The output for input `in`: one of `nearest`, nearest first (fewer in a smaller vocabulary). `coin` is
  /// uniform on (0, 1).
  virtual TokenId choose(TokenId in, std::span<const embed::Neighbour> nearest, double coin) const = 0;
  /// The matrix applied to the direction of the noise; null for none.
  virtual const NoiseShape* shape() const { return nullptr; }

 protected:
  /// ε times `metric` for all inputs, assuming real-valued noise.
  Guarantee analytic_guarantee(std::string metric, std::string_view symbol) const;

 private:
  std::shared_ptr<const NoiseSpace> space_;
  double epsilon_;
};

}  // namespace sotto::mechanism
