// Small models with vectors, written as real model files.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <sotto/model.hpp>

#include "embed/model_file.hpp"

namespace sotto::testing {

/// The parts of a model; `vectors` is row-major, as integers of `bits` bits.
struct VectorModel {
  std::vector<std::string> words;
  std::vector<int> vectors;
  std::vector<std::uint64_t> counts = {};
  double scale = 1;
  int bits = 16;
  base::Metadata metadata = {};
};

/// Writes a model file and opens it.
inline std::shared_ptr<const Model> write_vector_model(const std::filesystem::path& file,
                                                       const VectorModel& given) {
  embed::ModelParts parts;
  std::string text;
  parts.offsets.push_back(0);
  for (const std::string& word : given.words) {
    text += word;
    parts.offsets.push_back(text.size());
  }
  parts.words = text;
  parts.counts = given.counts;
  parts.dimension = static_cast<std::uint32_t>(given.vectors.size() / given.words.size());
  parts.bits = given.bits;
  parts.scale = given.scale;
  parts.metadata = given.metadata;
  parts.write_vectors = [&](const base::ByteSink& sink) -> Result<void> {
    for (const int value : given.vectors) {
      const auto wide = static_cast<std::int16_t>(value);
      const auto narrow = static_cast<std::int8_t>(value);
      SOTTO_TRY(sink(given.bits == 8 ? base::as_bytes(std::span(&narrow, 1))
                                     : base::as_bytes(std::span(&wide, 1))));
    }
    return {};
  };
  if (auto digest = embed::write_model(file, parts); !digest)
    throw std::runtime_error(digest.error().message);
  auto model = Model::open(file);
  if (!model) throw std::runtime_error(model.error().message);
  return *model;
}

/// Twelve words in four groups of three near words; 4 dimensions, scale 1/1024, counts from 1200 down to 100.
inline VectorModel tiny_model_parts() {
  return {{"the", "a", "an", "pizza", "pasta", "soup", "dog", "cat", "horse", "paris", "london", "rome"},
          {900, 20,  -10, 5,   880, -30, 15,  40,  860, 25, 30,  -20, 10,  950, 30,  -40,
           -25, 900, 60,  5,   35,  870, -50, 20,  -10, 30, 925, 45,  20,  -15, 905, 10,
           40,  25,  850, -35, 5,   -20, 15,  990, 30,  10, -5,  960, -15, 35,  20,  930},
          {1200, 1100, 1000, 900, 800, 700, 600, 500, 400, 300, 200, 100},
          1.0 / 1024,
          16,
          {{"licence", "CC0-1.0"}, {"source", "made for tests"}}};
}

/// Writes the twelve-word model to `file` and opens it.
inline std::shared_ptr<const Model> write_tiny_model(const std::filesystem::path& file) {
  return write_vector_model(file, tiny_model_parts());
}

}  // namespace sotto::testing
