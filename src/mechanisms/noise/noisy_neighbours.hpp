// Noisy vectors of tokens, and the words nearest to each. Mechanisms choose among these words; several
// mechanisms that add the same noise can share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sotto/bit_source.hpp>
#include <sotto/model.hpp>

#include "embed/nearest.hpp"

namespace sotto::mechanism {

class NoiseShape;
class NoiseSpace;

/// What to draw for each token, and how many words to search for.
struct NoiseDraw {
  double epsilon;
  const NoiseShape* shape;  ///< null: noise of density ∝ exp(−ε·|z|); otherwise applied to its direction
  std::size_t neighbours;   ///< nearest words wanted
  bool coins;               ///< whether to draw a uniform number in addition to the noise
};

/// A batch of tokens. Refers to the space and the shape, which must outlive it. Not thread-safe.
class NoisyNeighbours {
 public:
  NoisyNeighbours(const NoiseSpace& space, const NoiseDraw& draw);

  /// Tokens drawn since the last find().
  std::size_t size() const { return tokens_.size(); }
  /// Nearest words per token: fewer than wanted in a smaller vocabulary.
  std::size_t per_token() const { return per_token_; }

  /// Draws all randomness of a token (⊥ allowed): direction, length, coin.
  void add(TokenId word, BitSource& bits);

  struct Found {
    TokenId word;
    double coin;                                ///< uniform on (0, 1); 0 without coins
    std::span<const embed::Neighbour> nearest;  ///< nearest first; valid until find() returns
  };

  /// Calls visit(Found) for every token in insertion order, then empties the batch.
  template <class Visit>
  void find(Visit&& visit) {
    search();
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      visit(Found{tokens_[i].word, tokens_[i].coin,
                  std::span<const embed::Neighbour>(nearest_).subspan(i * per_token_, per_token_)});
    clear();
  }

 private:
  struct Token {
    TokenId word;
    double length;  ///< of the noise, in units of the model's scale
    double coin;
  };

  std::span<std::int32_t> query(std::size_t i) {
    return std::span(queries_).subspan(i * dimension_, dimension_);
  }
  void shape_directions();
  void search();
  void clear();

  const NoiseSpace& space_;
  NoiseDraw draw_;
  std::size_t dimension_;
  std::size_t per_token_;
  std::vector<double> noise_;
  std::vector<Token> tokens_;
  std::vector<float> directions_;
  std::vector<float> shaped_;
  std::vector<std::int32_t> queries_;
  std::vector<embed::Neighbour> nearest_;
};

}  // namespace sotto::mechanism
