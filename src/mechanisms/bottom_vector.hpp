// φ(⊥), the vector that stands for every word outside the vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sotto/model.hpp>

namespace sotto::mechanism {

/// The mean of all vectors of a model that has vectors, rounded to the nearest integers, ties to even. Exact,
/// so identical on every processor.
std::vector<std::int16_t> bottom_vector(const Model& model);

/// The squared distance between a word and ⊥, in units of scale²; `bottom` is bottom_vector(model).
std::int64_t squared_distance_from_bottom(const Model& model, std::span<const std::int16_t> bottom,
                                          TokenId word);

/// The Euclidean distance between two inputs, ⊥ allowed, in the model's units; `bottom` is
/// bottom_vector(model).
double euclidean_distance(const Model& model, std::span<const std::int16_t> bottom, TokenId a, TokenId b);

}  // namespace sotto::mechanism
