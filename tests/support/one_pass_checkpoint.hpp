// Tiny models that score all words in one pass (sotto-bounded-mlm, format version 2), with random weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/safetensors.hpp"

namespace sotto::testing {

/// Its scores are far apart, so that laws must use all that ε allows. Everything may be changed before
/// write().
class OnePassCheckpoint {
 public:
  using Shape = std::vector<std::uint64_t>;
  struct Floats {
    Shape shape;
    std::vector<float> values;
  };

  explicit OnePassCheckpoint(std::vector<std::string> output_words, std::uint32_t seed = 1)
      : words(std::move(output_words)), random_(seed) {
    const std::uint64_t count = words.size();
    config["output_words"] = count;
    add("embed.pieces.weight", {kPieces, kWidth}, 1);
    add("embed.project.weight", {kWidth, kWidth}, 0.5F);
    add("embed.slot.weight", {kSlots, kWidth}, 0.5F);
    add("embed.piece_index.weight", {8, kWidth}, 0.3F);
    add("embed.segment.weight", {2, kWidth}, 0.3F);
    add("embed.reach.weight", {kKnots + 1, kWidth}, 0.3F);
    add("embed.wander.weight", {kWanderKnots, kWidth}, 0.5F);
    norm("embed.norm");
    for (const std::string layer : {"layers.0.", "layers.1."}) {
      norm(layer + "norm1");
      linear(layer + "attention.qkv", 3 * kWidth, kWidth, 0.4F);
      linear(layer + "attention.out", kWidth, kWidth, 0.4F);
      norm(layer + "norm2");
      linear(layer + "ffn.up", 2 * kWidth, kWidth, 0.4F);
      linear(layer + "ffn.down", kWidth, 2 * kWidth, 0.4F);
    }
    norm("norm");
    linear("head.dense", kWidth, kWidth, 0.5F);
    norm("head.norm");
    linear("head.words", count, kWidth, 12);
    add("base_measure.weight", {kKnots, count}, 0.5F);
    // Per knot of the wander: less than the reach at every knot of that.
    floats["log_total"] = {{kWanderKnots, kKnots}, {0.4F, 1.6F, 6.4F, 0.5F, 2, 8, 0.6F, 2.4F, 9.6F}};
    floats["sharpness"] = {{2, kKnots}, {1, 1.2F, 1.5F, 0.8F, 0.9F, 1}};
    Floats& penalty = floats["own_penalty"];
    penalty.shape = {kWanderKnots, count};
    for (std::uint64_t i = 0; i < kWanderKnots * count; ++i)
      penalty.values.push_back(static_cast<float>(i / count * (4 + i % count)));
    // Words 0 and 1 are inflections of one lemma, and so on.
    for (std::uint64_t i = 0; i < count; ++i) groups.push_back(static_cast<std::int32_t>(i / 2));
  }

  void write(const std::filesystem::path& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config;
    std::ofstream words_file(folder / "words.txt");
    for (const std::string& word : words) words_file << word << '\n';
    nlohmann::json vocabulary = {{"<pad>", 0}, {"<mask>", 1}};
    for (char c = '!'; c <= '~'; ++c) vocabulary[std::string(1, c)] = 2 + c - '!';
    std::ofstream(folder / "vocab.json") << vocabulary;
    std::ofstream(folder / "merges.txt") << "#version: 0.2\n";
    std::vector<base::TensorToWrite> tensors;
    for (const auto& [name, tensor] : floats)
      tensors.push_back(tensor_of(name, base::TensorType::f32, tensor.shape, tensor.values));
    if (!groups.empty())
      tensors.push_back(tensor_of("word_group", base::TensorType::i32, {groups.size()}, groups));
    base::write_safetensors(folder / "model.safetensors", {}, tensors).value();
  }

  std::vector<std::string> words;
  nlohmann::json config = {{"model_type", "sotto-bounded-mlm"},
                           {"format_version", 2},
                           {"modes", {"one-pass"}},
                           {"law", "balanced"},
                           {"quantization", "int8-per-row"},
                           {"hidden_size", kWidth},
                           {"num_hidden_layers", 2},
                           {"num_attention_heads", 2},
                           {"intermediate_size", 2 * kWidth},
                           {"piece_size", kWidth},
                           {"head_size", kWidth},
                           {"vocab_size", kPieces},
                           {"max_slots", kSlots},
                           {"window_slots", kSlots},
                           {"max_pieces_per_slot", 8},
                           {"layer_norm_eps", 1e-5},
                           {"logit_range", 10.0},
                           {"slope", 4.0},
                           {"reach_knots", {1.0, 4.0, 16.0}},
                           {"wander_knots", {0.0, 0.5, 1.0}},
                           {"wander", 1.0}};
  std::map<std::string, Floats> floats;
  std::vector<std::int32_t> groups;

 private:
  static constexpr std::uint64_t kWidth = 16;
  static constexpr std::uint64_t kPieces = 2 + '~' - '!' + 1;
  static constexpr std::uint64_t kSlots = 8;
  static constexpr std::uint64_t kKnots = 3;
  static constexpr std::uint64_t kWanderKnots = 3;

  void add(const std::string& name, const Shape& shape, float deviation, float mean = 0) {
    Floats& tensor = floats[name];
    tensor.shape = shape;
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    // Sums of uniform numbers: the library's normal distribution is not the same everywhere.
    const auto uniform = [&] { return static_cast<float>(random_() >> 8) * 0x1p-24F - 0.5F; };
    for (std::uint64_t i = 0; i < count; ++i)
      tensor.values.push_back(mean + deviation * (uniform() + uniform() + uniform()) * 2);
  }
  void linear(const std::string& name, std::uint64_t outputs, std::uint64_t inputs, float deviation) {
    add(name + ".weight", {outputs, inputs}, deviation);
    add(name + ".bias", {outputs}, 0.3F);
  }
  void norm(const std::string& name) {
    add(name + ".weight", {kWidth}, 0.1F, 1);
    add(name + ".bias", {kWidth}, 0.1F);
  }
  template <class Number>
  static base::TensorToWrite tensor_of(const std::string& name, base::TensorType type, const Shape& shape,
                                       const std::vector<Number>& values) {
    return {name, type, shape, [values](const base::ByteSink& sink) {
              return sink(base::as_bytes(std::span<const Number>(values)));
            }};
  }

  std::mt19937 random_;
};

}  // namespace sotto::testing
