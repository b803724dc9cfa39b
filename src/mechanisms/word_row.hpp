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

/// The output distribution of an input.
struct WordRow {
  std::vector<double> probabilities;  ///< one per output
  std::uint64_t draws = 0;            ///< 0: exact
};

/// Exact if the mechanism has a closed form, otherwise the frequencies of `draws` outputs. They belong to no
/// document and are not released as one.
WordRow word_row(const Mechanism& mechanism, TokenId word, std::size_t outputs, std::uint64_t draws);

/// How often each of `outputs` came out in `draws` draws.
std::vector<std::uint64_t> sampled_counts(const Mechanism& mechanism, TokenId word, std::size_t outputs,
                                          std::uint64_t draws);

/// The id of a word; a phrase may be written as it is read: "new york" for "new_york".
TokenId find_word_or_phrase(const Model& model, std::string_view word);

/// Fills in what the row determines. `spelled` gives the word of an output; `self` is the word itself, if it
/// is an output.
void describe_row(const WordRow& row, const std::function<std::string_view(std::uint32_t)>& spelled,
                  std::optional<std::uint32_t> self, std::size_t top, Explanation& explanation);

}  // namespace sotto::mechanism
