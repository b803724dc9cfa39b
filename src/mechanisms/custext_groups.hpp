// The groups of CusText: words that stand in for each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Again and again the first word of `order` that has no group yet and its size − 1 nearest words without a
/// group (ties: the lower id) become a group. The last group holds what is left; a single word left joins the
/// group before it. `order` has every word of the model once, `size` >= 2. The result does not depend on
/// `threads`.
Result<std::vector<std::vector<TokenId>>> build_groups(const Model& model, std::span<const TokenId> order,
                                                       std::size_t size, unsigned threads);

/// All words, the most frequent first (ties: the lower id); in the order of the model when it has no counts.
std::vector<TokenId> frequency_order(const Model& model);

}  // namespace sotto
