// A stand-in for the libtorch plugin: models whose logits are a function of what they are asked, so that the
// whole path from the command line to the receipt can be tested without libtorch.
//
// config.json: model_type (bert, gpt2 or t5), vocab_size, max_position_embeddings, and range: with it logits
// lie in [0, range] by architecture, otherwise they are free. "favourite" is an id whose logit is the
// highest. "balanced": the head is made for the balanced law. Sentences become the counts of their ids; every
// token of a text has the probability e^−2. While SOTTO_FAKE_KERNELS is set in the environment, logits
// differ, as with the kernels of another processor; SOTTO_FAKE_MILLISECONDS makes each sequence take that
// long, as with a large model. On the device cuda, masked models draw themselves: uniformly.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "lm/language_model.hpp"

namespace {

using namespace sotto;

struct Settings {
  std::string type;
  std::uint32_t size = 0;
  std::uint32_t positions = 0;
  std::int64_t favourite = -1;
  std::optional<float> range;
  bool balanced = false;
  std::chrono::milliseconds pause{0};
  std::function<bool()> go_on;
  bool on_gpu = false;

  /// As long as a sequence takes; fails if the caller asks to stop.
  Result<void> work() const {
    if (go_on && !go_on()) return fail(Errc::interrupted, "interrupted");
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
    return {};
  }
};

Result<Settings> read(const std::filesystem::path& folder, const LanguageModelResources& resources) {
  std::ifstream file(folder / "config.json");
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("vocab_size"))
    return fail(Errc::bad_format, (folder / "config.json").string() + ": vocab_size is missing");
  Settings settings;
  settings.type = json.value("model_type", "");
  settings.size = json.value("vocab_size", 0U);
  settings.positions = json.value("max_position_embeddings", 128U);
  settings.favourite = json.value("favourite", std::int64_t{-1});
  settings.balanced = json.value("balanced", false);
  if (const char* const milliseconds = std::getenv("SOTTO_FAKE_MILLISECONDS"))
    settings.pause = std::chrono::milliseconds(std::atoi(milliseconds));
  settings.go_on = resources.go_on;
  settings.on_gpu = resources.device == Device::cuda;
  if (json.contains("range")) settings.range = json.value("range", 0.0F);
  return settings;
}

float logit(const Settings& settings, const std::vector<std::int32_t>& ids, std::uint32_t place,
            std::uint32_t output) {
  std::uint64_t state = 0x9E3779B97F4A7C15 + place * 77 + output;
  if (std::getenv("SOTTO_FAKE_KERNELS") != nullptr) state += 1;
  for (const std::int32_t id : ids) state = (state ^ static_cast<std::uint32_t>(id)) * 0xD1B54A32D192ED03;
  state ^= state >> 29;
  const float share = static_cast<float>((state * 0x9E3779B97F4A7C15) >> 40) * 0x1p-24F;
  if (settings.favourite == output) return settings.range.value_or(30);
  return settings.range ? *settings.range * share : 20 * share - 10;
}

class Drawer final : public lm::WordDrawer {
 public:
  Drawer(const Settings& settings, std::size_t outcomes) : settings_(settings), outcomes_(outcomes) {}
  Result<void> draw(std::span<const lm::Sequence> sequences, std::span<const std::vector<std::uint32_t>>,
                    std::span<const lm::WordDraw> draws, std::span<std::uint32_t> outcomes) const override {
    for (std::size_t i = 0; i < sequences.size(); ++i) SOTTO_TRY(settings_.work());
    for (std::size_t i = 0; i < draws.size(); ++i)
      outcomes[i] = static_cast<std::uint32_t>(draws[i].point % outcomes_);
    return {};
  }

 private:
  Settings settings_;
  std::size_t outcomes_;
};

class Masked final : public lm::MaskedModel {
 public:
  explicit Masked(Settings settings, double reach = 0) : settings_(std::move(settings)) {
    head_.range = settings_.range.value_or(1);
    head_.reach = static_cast<float>(reach);
    head_.slope = 0.4F;
    head_.log_total = 0.6F * head_.reach;
  }
  std::uint32_t input_size() const override { return settings_.size; }
  std::uint32_t output_size() const override { return settings_.size; }
  std::uint32_t max_positions() const override { return settings_.positions; }
  std::uint32_t segment_count() const override { return 2; }
  std::uint32_t piece_count() const override { return 1; }
  std::optional<lm::LogitBounds> bounds() const override {
    if (!settings_.range) return std::nullopt;
    return lm::LogitBounds{0, *settings_.range, true};
  }
  Result<std::shared_ptr<const lm::MaskedModel>> at_reach(double reach, double /*wander*/) const override {
    if (!settings_.balanced) return nullptr;
    return std::make_shared<const Masked>(settings_, reach);
  }
  const lm::BoundedHead* bounded_head() const override { return head_.reach > 0 ? &head_ : nullptr; }
  bool prefers_to_draw() const override { return settings_.on_gpu; }
  Result<std::unique_ptr<const lm::WordDrawer>> drawer(const lm::PublicLaw& law) const override {
    return std::make_unique<const Drawer>(settings_, law.outcomes.size());
  }
  Result<void> logits(std::span<const lm::Sequence> sequences, std::span<const std::uint32_t> masked,
                      std::span<float> out) const override {
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      SOTTO_TRY(settings_.work());
      for (std::uint32_t k = 0; k < settings_.size; ++k)
        out[i * settings_.size + k] = logit(settings_, sequences[i].ids, masked[i], k);
    }
    return {};
  }

 private:
  Settings settings_;
  lm::BoundedHead head_;
};

class Sentences final : public lm::SentenceModel {
 public:
  explicit Sentences(Settings settings) : settings_(std::move(settings)) {}
  std::uint32_t dimension() const override { return settings_.size; }
  std::uint32_t max_positions() const override { return settings_.positions; }
  Result<void> encode(std::span<const lm::Sequence> sequences, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      SOTTO_TRY(settings_.work());
      float* const vector = out.data() + i * settings_.size;
      float squares = 0;
      for (const std::int32_t id : sequences[i].ids) vector[id] += 1;
      for (std::uint32_t k = 0; k < settings_.size; ++k) squares += vector[k] * vector[k];
      for (std::uint32_t k = 0; k < settings_.size; ++k) vector[k] /= std::sqrt(squares);
    }
    return {};
  }

 private:
  Settings settings_;
};

class Texts final : public lm::Generation {
 public:
  Texts(const Settings& settings, std::span<const lm::Sequence> prompts) : settings_(settings) {
    for (const lm::Sequence& prompt : prompts) ids_.push_back(prompt.ids);
  }
  Result<void> append(std::span<const std::int32_t> tokens, std::span<float> logits) override {
    SOTTO_TRY(settings_.work());
    for (std::size_t i = 0; i < tokens.size(); ++i) ids_[i].push_back(tokens[i]);
    answer(logits);
    return {};
  }
  void answer(std::span<float> out) const {
    for (std::size_t i = 0; i < ids_.size(); ++i)
      for (std::uint32_t k = 0; k < settings_.size; ++k)
        out[i * settings_.size + k] = logit(settings_, ids_[i], 0, k);
  }

 private:
  Settings settings_;
  std::vector<std::vector<std::int32_t>> ids_;
};

class Causal final : public lm::CausalModel {
 public:
  explicit Causal(Settings settings) : settings_(std::move(settings)) {}
  std::uint32_t output_size() const override { return settings_.size; }
  std::uint32_t max_positions() const override { return settings_.positions; }
  bool answers() const override { return settings_.type == "t5"; }
  Result<void> score(std::span<const lm::Sequence>, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), -2.0F);
    return {};
  }
  Result<std::unique_ptr<lm::Generation>> begin(std::span<const lm::Sequence> prompts,
                                                std::span<float> logits) const override {
    auto texts = std::make_unique<Texts>(settings_, prompts);
    texts->answer(logits);
    return texts;
  }

 private:
  Settings settings_;
};

class Backend final : public lm::LanguageModelBackend {
 public:
  Result<std::shared_ptr<const lm::MaskedModel>> open_masked(
      const std::filesystem::path& folder, const LanguageModelResources& resources) override {
    SOTTO_ASSIGN(Settings settings, read(folder, resources));
    return std::make_shared<const Masked>(std::move(settings));
  }
  Result<std::shared_ptr<const lm::SentenceModel>> open_sentence(
      const std::filesystem::path& folder, const LanguageModelResources& resources) override {
    SOTTO_ASSIGN(Settings settings, read(folder, resources));
    return std::make_shared<const Sentences>(std::move(settings));
  }
  Result<std::shared_ptr<const lm::CausalModel>> open_causal(
      const std::filesystem::path& folder, const LanguageModelResources& resources) override {
    SOTTO_ASSIGN(Settings settings, read(folder, resources));
    return std::make_shared<const Causal>(std::move(settings));
  }
  Result<std::string> arithmetic(const LanguageModelResources&) override {
    const char* const capability = std::getenv("ATEN_CPU_CAPABILITY");
    return std::string("fake ") + (capability == nullptr ? "" : capability);
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) sotto::lm::LanguageModelBackend*
sotto_language_model_backend(std::uint32_t abi) {
  static Backend backend;
  return abi == sotto::lm::kLanguageModelAbi ? &backend : nullptr;
}
