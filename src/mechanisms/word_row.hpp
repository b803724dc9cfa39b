// What follows from the output distribution of one word.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sotto/explain.hpp>
#include <sotto/mechanism.hpp>

namespace sotto::mechanism {

/// Of this many words, all rows take a minute at most.
inline constexpr std::size_t kMostRows = 50'000;

/// The output distribution of an input.
struct WordRow {
  std::vector<double> probabilities;  ///< one per output
  std::uint64_t draws = 0;            ///< 0: exact
};

/// ⊙ as an input of the functions below: its place is drawn uniformly, so its row is the mean of all rows.
inline TokenId uniform_input(std::size_t words) {
  return static_cast<TokenId>(words + 1);
}

/// The mechanism's distance, and that of ⊙: 0 from itself, and from another input the largest distance of
/// that from any word (docs/certificates.md).
double input_distance(const Mechanism& mechanism, TokenId a, TokenId b, std::size_t words);

/// Exact if the mechanism has a closed form, otherwise the frequencies of `draws` outputs; so for ⊙ if there
/// are so many words that the mean of all rows takes too long. The draws belong to no document and are not
/// released as one.
WordRow word_row(const Mechanism& mechanism, TokenId word, std::size_t outputs, std::uint64_t draws);

/// How often each of `outputs` came out in `draws` draws.
std::vector<std::uint64_t> sampled_counts(const Mechanism& mechanism, TokenId word, std::size_t outputs,
                                          std::uint64_t draws);

/// Fills in what the row determines. `spelled` gives the word of an output; `self` is the word itself, if it
/// is an output.
void describe_row(const WordRow& row, const std::function<std::string_view(std::uint32_t)>& spelled,
                  std::optional<std::uint32_t> self, std::size_t top, Explanation& explanation);

}  // namespace sotto::mechanism
