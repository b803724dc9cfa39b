// φ(⊥), the vector that stands for every word outside the vocabulary.
#pragma once

#include <cstdint>
#include <vector>

#include <sotto/model.hpp>

namespace sotto {

/// The mean of all vectors of a model that has some, rounded to the nearest integers, halves to even. Exact,
/// so the same on every processor.
std::vector<std::int16_t> bottom_vector(const Model& model);

}  // namespace sotto
