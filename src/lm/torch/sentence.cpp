#include "lm/torch/sentence.hpp"

#include <fmt/format.h>

#include "lm/sentence_layout.hpp"
#include "lm/torch/batches.hpp"
#include "lm/torch/encoder.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

class EncoderSentenceModel final : public SentenceModel {
 public:
  EncoderSentenceModel(const SentenceLayout& layout, const Runtime& runtime)
      : runtime_(runtime), pooling_(layout.pooling) {
    const Checkpoint checkpoint(layout.transformer, runtime);
    encoder_ = make_encoder(checkpoint);
    limits_ = encoder_->limits();
    limits_.positions = std::min(limits_.positions, layout.longest);
  }

  std::uint32_t dimension() const override { return static_cast<std::uint32_t>(encoder_->width()); }
  std::uint32_t max_positions() const override { return static_cast<std::uint32_t>(limits_.positions); }

  Result<void> encode(std::span<const Sequence> sequences, std::span<float> out) const override {
    return torch_guarded([&] {
      if (out.size() != sequences.size() * dimension())
        refuse(Errc::invalid_argument,
               fmt::format("{} sequences need {} numbers each", sequences.size(), dimension()));
      check_sequences(sequences, limits_);
      for_each_batch(sequences, runtime_, Packing::padded,
                     [&](std::span<const std::uint32_t> members, const Inputs& inputs) {
                       scatter_rows(vectors(inputs), members, out);
                     });
    });
  }

 private:
  at::Tensor vectors(const Inputs& inputs) const {
    if (pooling_ == Pooling::first) {
      const at::Tensor state = encoder_->states(inputs, at::zeros_like(inputs.lengths)).squeeze(1);
      return normalized(state);
    }
    at::Tensor states = encoder_->states(inputs, {});
    if (inputs.mask.defined()) states = states * inputs.mask.view({states.size(0), -1, 1}).eq(0);
    return normalized(states.sum(1) / inputs.lengths.unsqueeze(1));
  }

  static at::Tensor normalized(const at::Tensor& x) { return x / x.norm(2, -1, true).clamp_min(1e-12); }

  Runtime runtime_;
  Pooling pooling_;
  InputLimits limits_;
  std::unique_ptr<const Encoder> encoder_;
};

}  // namespace

std::shared_ptr<const SentenceModel> make_sentence(const std::filesystem::path& folder,
                                                   const Runtime& runtime) {
  return std::make_shared<const EncoderSentenceModel>(read_sentence_layout(folder), runtime);
}

}  // namespace sotto::lm
