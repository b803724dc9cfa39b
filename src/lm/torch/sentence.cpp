#include "lm/torch/sentence.hpp"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "lm/torch/batches.hpp"
#include "lm/torch/encoder.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

enum class Pooling { mean, first };

struct SentenceLayout {
  std::filesystem::path transformer;
  Pooling pooling = Pooling::mean;
  std::int64_t longest = kMostPositions;
};

Pooling read_pooling(const std::filesystem::path& folder) {
  const Config config = Config::read(folder / "config.json");
  const bool mean = config.flag("pooling_mode_mean_tokens", false);
  const bool first = config.flag("pooling_mode_cls_token", false);
  const bool other = config.flag("pooling_mode_max_tokens", false) ||
                     config.flag("pooling_mode_mean_sqrt_len_tokens", false) ||
                     config.flag("pooling_mode_weightedmean_tokens", false) ||
                     config.flag("pooling_mode_lasttoken", false);
  if (mean == first || other)
    refuse(Errc::bad_format,
           fmt::format("{}: pooling must be by mean or by the first token alone", config.name()));
  return mean ? Pooling::mean : Pooling::first;
}

// The modules of a sentence-transformers folder; any other than these three would change the vector.
SentenceLayout read_layout(const std::filesystem::path& folder) {
  SentenceLayout layout{folder};
  std::error_code ignored;
  const std::filesystem::path modules = folder / "modules.json";
  if (std::filesystem::exists(modules, ignored)) {
    const auto json = base::parse_json(unwrap(base::read_file(modules)));
    if (!json.is_array()) refuse(Errc::bad_format, fmt::format("{}: not a JSON list", modules.string()));
    for (const nlohmann::json& module : json) {
      if (!module.is_object() || !module.value("type", nlohmann::json()).is_string() ||
          !module.value("path", nlohmann::json()).is_string())
        refuse(Errc::bad_format, fmt::format("{}: a module without type or path", modules.string()));
      const auto type = module["type"].get<std::string>();
      const auto path = module["path"].get<std::string>();
      if (path.find('/') != std::string::npos || path == "..")
        refuse(Errc::bad_format,
               fmt::format("{}: path '{}' is not a folder of this one", modules.string(), path));
      if (type.ends_with(".Transformer"))
        layout.transformer = folder / path;
      else if (type.ends_with(".Pooling"))
        layout.pooling = read_pooling(folder / path);
      else if (!type.ends_with(".Normalize"))
        refuse(Errc::bad_format, fmt::format("{}: module '{}' is none of Transformer, Pooling, Normalize",
                                             modules.string(), type));
    }
  } else if (std::filesystem::exists(folder / "1_Pooling" / "config.json", ignored)) {
    layout.pooling = read_pooling(folder / "1_Pooling");
  }
  if (const auto file = layout.transformer / "sentence_bert_config.json";
      std::filesystem::exists(file, ignored))
    layout.longest = Config::read(file).whole("max_seq_length", 1, kMostPositions, kMostPositions);
  return layout;
}

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
    return guarded([&] {
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
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    refuse(Errc::not_found, fmt::format("{}: not a folder", folder.string()));
  return std::make_shared<const EncoderSentenceModel>(read_layout(folder), runtime);
}

}  // namespace sotto::lm
