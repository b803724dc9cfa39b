// The groups of CusText: words that can replace each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::mechanism {

/// Repeatedly groups the first ungrouped word of `order` with its size − 1 nearest ungrouped words (ties: the
/// lower id). The last group holds the remaining words; a single remaining word joins the previous group.
/// `order` has every word of the model once, and `size` >= 2. The result does not depend on `threads`.
Result<std::vector<std::vector<TokenId>>> build_groups(const Model& model, std::span<const TokenId> order,
                                                       std::size_t size, unsigned threads);

/// All words, most frequent first (ties: the lower id); in model order if the model has no counts.
std::vector<TokenId> frequency_order(const Model& model);

}  // namespace sotto::mechanism
