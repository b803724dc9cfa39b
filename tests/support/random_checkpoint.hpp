// RoBERTa checkpoints of any size with random weights: the arithmetic of a trained one, without its file.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/safetensors.hpp"

namespace sotto::testing {

struct RobertaSizes {
  std::uint64_t words = 50265;
  std::uint64_t width = 768;
  std::uint64_t heads = 12;
  std::uint64_t inner = 3072;
  std::uint64_t layers = 12;
  std::uint64_t positions = 512;
};

/// Matrix weights are normal with the deviation that preserves the size of a state; norms and biases are near
/// 1 and 0.
class RandomRoberta {
 public:
  RandomRoberta(const RobertaSizes& sizes, std::uint32_t seed) : sizes_(sizes), seed_(seed) {}

  /// Writes config.json and model.safetensors.
  Result<void> write(const std::filesystem::path& folder) {
    std::ofstream(folder / "config.json") << nlohmann::json{{"model_type", "roberta"},
                                                            {"architectures", {"RobertaForMaskedLM"}},
                                                            {"vocab_size", sizes_.words},
                                                            {"hidden_size", sizes_.width},
                                                            {"num_hidden_layers", sizes_.layers},
                                                            {"num_attention_heads", sizes_.heads},
                                                            {"intermediate_size", sizes_.inner},
                                                            {"max_position_embeddings", sizes_.positions + 2},
                                                            {"type_vocab_size", 1},
                                                            {"pad_token_id", 1},
                                                            {"layer_norm_eps", 1e-5},
                                                            {"hidden_act", "gelu"}};
    list();
    SOTTO_TRY(base::write_safetensors(folder / "model.safetensors", {}, tensors_));
    return {};
  }

 private:
  void list() {
    const std::uint64_t width = sizes_.width;
    add("roberta.embeddings.word_embeddings.weight", {sizes_.words, width}, 1);
    add("roberta.embeddings.position_embeddings.weight", {sizes_.positions + 2, width}, 0.5F);
    add("roberta.embeddings.token_type_embeddings.weight", {1, width}, 0.1F);
    norm("roberta.embeddings.LayerNorm");
    for (std::uint64_t i = 0; i < sizes_.layers; ++i) {
      const std::string layer = "roberta.encoder.layer." + std::to_string(i);
      for (const char* part : {".attention.self.query", ".attention.self.key", ".attention.self.value",
                               ".attention.output.dense"})
        linear(layer + part, width, width);
      norm(layer + ".attention.output.LayerNorm");
      linear(layer + ".intermediate.dense", sizes_.inner, width);
      linear(layer + ".output.dense", width, sizes_.inner);
      norm(layer + ".output.LayerNorm");
    }
    linear("lm_head.dense", width, width);
    norm("lm_head.layer_norm");
    add("lm_head.bias", {sizes_.words}, 0.1F);
  }

  void linear(const std::string& name, std::uint64_t outputs, std::uint64_t inputs) {
    add(name + ".weight", {outputs, inputs}, 1 / std::sqrt(static_cast<float>(inputs)));
    add(name + ".bias", {outputs}, 0.1F);
  }
  void norm(const std::string& name) {
    add(name + ".weight", {sizes_.width}, 0.1F, 1);
    add(name + ".bias", {sizes_.width}, 0.1F);
  }

  void add(const std::string& name, const std::vector<std::uint64_t>& shape, float deviation,
           float mean = 0) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    const std::uint32_t seed = seed_ + static_cast<std::uint32_t>(tensors_.size());
    tensors_.push_back({name, base::TensorType::f32, shape, [=](const base::ByteSink& sink) -> Result<void> {
                          // Sums of four uniform bytes are close enough to normal, and fast.
                          std::mt19937 engine(seed);
                          const float factor = deviation / 147.8F;
                          std::vector<float> numbers(count);
                          for (float& number : numbers) {
                            const auto bits = static_cast<std::uint32_t>(engine());
                            const auto sum = static_cast<float>((bits & 255) + (bits >> 8 & 255) +
                                                                (bits >> 16 & 255) + (bits >> 24));
                            number = mean + factor * (sum - 510);
                          }
                          return sink(base::as_bytes(std::span<const float>(numbers)));
                        }});
  }

  RobertaSizes sizes_;
  std::uint32_t seed_;
  std::vector<base::TensorToWrite> tensors_;
};

}  // namespace sotto::testing
