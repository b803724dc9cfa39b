// The plugin's boundary: one factory, and everything behind it through the virtual interface.
#include <string>

#include "lm/language_model.hpp"
#include "lm/torch/arithmetic.hpp"
#include "lm/torch/causal.hpp"
#include "lm/torch/failure.hpp"
#include "lm/torch/masked.hpp"
#include "lm/torch/sentence.hpp"

namespace sotto::lm {
namespace {

std::shared_ptr<const MaskedModel> masked_model(const Checkpoint& checkpoint) {
  const std::string type = checkpoint.config().text("model_type");
  if (type == "bert" || type == "roberta" || type == "distilbert") return make_bert_masked(checkpoint);
  if (type == "sotto-bounded-mlm") return make_bounded_masked(checkpoint);
  checkpoint.config().refuse_value("model_type",
                                   "bert, roberta, distilbert or sotto-bounded-mlm for a masked model");
}

std::shared_ptr<const CausalModel> causal_model(const Checkpoint& checkpoint) {
  const std::string type = checkpoint.config().text("model_type");
  if (type == "gpt2") return make_gpt2(checkpoint);
  if (type == "t5") return make_t5(checkpoint);
  checkpoint.config().refuse_value("model_type", "gpt2 or t5 for a model that continues or answers texts");
}

// After rounding to bytes, the originals are not read again in full.
template <class Make>
auto opened(const Checkpoint& checkpoint, const Make& make) {
  auto model = make(checkpoint);
  if (checkpoint.runtime().bytes) checkpoint.release_pages();
  return model;
}

class TorchBackend final : public LanguageModelBackend {
 public:
  Result<std::shared_ptr<const MaskedModel>> open_masked(const std::filesystem::path& folder,
                                                         const LanguageModelResources& resources) override {
    return torch_guarded([&] { return opened(Checkpoint(folder, make_runtime(resources)), masked_model); });
  }
  Result<std::shared_ptr<const SentenceModel>> open_sentence(
      const std::filesystem::path& folder, const LanguageModelResources& resources) override {
    return torch_guarded([&] { return make_sentence(folder, make_runtime(resources)); });
  }
  Result<std::shared_ptr<const CausalModel>> open_causal(const std::filesystem::path& folder,
                                                         const LanguageModelResources& resources) override {
    return torch_guarded([&] { return opened(Checkpoint(folder, make_runtime(resources)), causal_model); });
  }
  Result<std::string> arithmetic(const LanguageModelResources& resources) override {
    return torch_guarded([&] { return lm::arithmetic(make_runtime(resources)); });
  }
};

}  // namespace
}  // namespace sotto::lm

extern "C" __attribute__((visibility("default"))) sotto::lm::LanguageModelBackend*
sotto_language_model_backend(std::uint32_t abi) {
  static sotto::lm::TorchBackend backend;
  return abi == sotto::lm::kLanguageModelAbi ? &backend : nullptr;
}
