// The engine's side of the interface.
#include <string>

#include "lm/engine/engine_models.hpp"
#include "lm/engine/engine_run.hpp"
#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

CheckpointFiles files_of(const std::filesystem::path& folder, const char* type) {
  CheckpointFiles files(folder);
  if (files.config().text("model_type") != type) files.config().refuse_value("model_type", type);
  return files;
}

class EngineBackend final : public LanguageModelBackend {
 public:
  Result<std::shared_ptr<const MaskedModel>> open_masked(const std::filesystem::path& folder,
                                                         const LanguageModelResources& resources) override {
    return guarded([&] { return make_engine_bounded(files_of(folder, "sotto-bounded-mlm"), resources); });
  }
  Result<std::shared_ptr<const SentenceModel>> open_sentence(
      const std::filesystem::path& folder, const LanguageModelResources& resources) override {
    return guarded([&] { return make_engine_sentence(folder, resources); });
  }
  Result<std::shared_ptr<const CausalModel>> open_causal(const std::filesystem::path& folder,
                                                         const LanguageModelResources& resources) override {
    return guarded([&] { return make_engine_gpt2(files_of(folder, "gpt2"), resources); });
  }
  Result<std::string> arithmetic(const LanguageModelResources&) override { return std::string(kArithmetic); }

 private:
  // The same bits on every processor, for any number of threads. Whatever changes an answer needs a new
  // number.
  static constexpr const char* kArithmetic = "engine 1";
};

}  // namespace

LanguageModelBackend& engine_backend() {
  static EngineBackend backend;
  return backend;
}

}  // namespace sotto::lm
