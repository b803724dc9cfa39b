// What a mechanism does to one word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/result.hpp>

namespace sotto {

struct ExplainOptions {
  std::string mechanism = "diffractor-geometric";
  double epsilon = 0;
  ParameterValues parameters;
  std::string model;              ///< empty: the mechanism's default
  std::size_t top = 10;           ///< number of outputs to list
  std::uint64_t draws = 100'000;  ///< number of samples if there is no closed form
};

struct Outcome {
  std::string word;
  double probability;
  double standard_error;  ///< 0 if exact
};

struct Explanation {
  std::string word;
  bool in_vocabulary = false;  ///< false: the word enters as ⊥
  std::string model;
  std::uint64_t draws = 0;   ///< 0: the distribution is exact; otherwise it is estimated from this many draws
  std::vector<Outcome> top;  ///< most probable first, ties in vocabulary order
  double stays = 0;          ///< N_w: the probability that the word is unchanged
  double distinct_in_100 = 0;            ///< S_w: expected number of distinct outputs in 100 draws
  std::size_t words_for_95_percent = 0;  ///< size of the smallest set of outputs with probability 0.95
  Guarantee guarantee;
};

/// As JSON (docs/schemas/explanation.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const Explanation& explanation);

/// The output distribution of `word`: exact if the mechanism has a closed form, otherwise sampled.
/// Thread-safe unless another thread changes the environment.
SOTTO_API Result<Explanation> explain(std::string_view word, const ExplainOptions& options);

}  // namespace sotto
