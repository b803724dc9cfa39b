// What a mechanism does to one word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct ExplainOptions {
  std::string mechanism = "diffractor-geometric";
  double epsilon = 0;
  ParameterValues parameters;
  std::string model;     ///< empty: the mechanism's default
  std::size_t top = 10;  ///< how many outputs to list
};

struct Outcome {
  std::string word;
  double probability;
};

struct Explanation {
  std::string word;
  bool in_vocabulary = false;  ///< false: the word enters as ⊥
  std::string model;
  std::vector<Outcome> top;              ///< most probable first, ties in the order of the vocabulary
  double stays = 0;                      ///< N_w: the probability that the word comes out unchanged
  double distinct_in_100 = 0;            ///< S_w: expected number of distinct outputs in 100 draws
  std::size_t words_for_95_percent = 0;  ///< size of the smallest set of outputs of probability 0.95
  Guarantee guarantee;
};

/// The exact output distribution of `word`.
Result<Explanation> explain(std::string_view word, const ExplainOptions& options);

}  // namespace sotto
