// Models that fill a masked position.
#pragma once

#include <memory>

#include "lm/language_model.hpp"
#include "lm/torch/batches.hpp"

namespace sotto::lm {

/// Checks, batches and threads for a model that answers one batch.
class BatchedMaskedModel : public MaskedModel {
 public:
  std::uint32_t input_size() const override { return static_cast<std::uint32_t>(limits_.ids); }
  std::uint32_t output_size() const override { return output_size_; }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(limits_.positions); }
  std::uint32_t segment_count() const override { return static_cast<std::uint32_t>(limits_.segments); }
  std::uint32_t piece_count() const override { return static_cast<std::uint32_t>(limits_.pieces); }
  Result<void> logits(std::span<const Sequence> sequences, std::span<const std::uint32_t> masked,
                      std::span<float> out) const override;
  Result<void> logits_at(std::span<const Sequence> sequences,
                         std::span<const std::vector<std::uint32_t>> places,
                         std::span<float> out) const override;
  Result<void> logits_everywhere(const Sequence& sequence, std::span<float> out) const override;
  bool prefers_to_draw() const override { return !runtime_.device.is_cpu(); }
  Result<std::unique_ptr<const WordDrawer>> drawer(const PublicLaw& law) const override;

 protected:
  BatchedMaskedModel(Runtime runtime, InputLimits limits, std::int64_t output_size)
      : runtime_(runtime), limits_(limits), output_size_(static_cast<std::uint32_t>(output_size)) {}
  const Runtime& runtime() const { return runtime_; }
  /// [batch, 1, width]: what the head reads at these places; if `at` is undefined, at all places, [batch,
  /// length, width].
  virtual at::Tensor states(const Inputs& inputs, const at::Tensor& at) const = 0;
  /// From the last dimension of states to output_size logits.
  virtual at::Tensor head(const at::Tensor& states) const = 0;

 private:
  Packing packing() const { return runtime_.device.is_cpu() ? Packing::packed : Packing::grouped; }

  Runtime runtime_;
  InputLimits limits_;
  std::uint32_t output_size_;
};

std::shared_ptr<const MaskedModel> make_bert_masked(const Checkpoint& checkpoint);
std::shared_ptr<const MaskedModel> make_bounded_masked(const Checkpoint& checkpoint);

}  // namespace sotto::lm
