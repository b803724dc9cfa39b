// What 8-bit weights cost, on a model with random weights, and that stored bytes are used as they are.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "lm/torch/plugin_fixture.hpp"
#include "support/random_checkpoint.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

class Precisions : public PluginTest {};

// Rounding a vector and a row to 8 bits leaves about 1% of noise in a product; layers accumulate it.
TEST_F(Precisions, BytesStayNearAndAgree) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kWords = 500;
  ASSERT_TRUE(RandomRoberta({kWords, 64, 4, 256, 4, 40}, 1).write(folder.path()));
  const auto exact = masked(folder.path());
  const auto bytes = masked(folder.path(), resources(Precision::int8));
  ASSERT_NE(exact, nullptr);
  ASSERT_NE(bytes, nullptr);
  std::mt19937 engine(5);
  std::vector<Sequence> sequences(200);
  std::vector<std::uint32_t> places;
  for (Sequence& sequence : sequences) {
    for (std::uint64_t n = 2 + engine() % 38; n > 0; --n)
      sequence.ids.push_back(static_cast<std::int32_t>(engine() % kWords));
    places.push_back(static_cast<std::uint32_t>(engine() % sequence.ids.size()));
  }
  std::vector<float> a(sequences.size() * kWords);
  std::vector<float> b(a.size());
  ASSERT_TRUE(exact->logits(sequences, places, a));
  ASSERT_TRUE(bytes->logits(sequences, places, b));
  double square = 0;
  double difference = 0;
  std::size_t agree = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto row = [&](const std::vector<float>& all) {
      return std::span(all).subspan(i * kWords, kWords);
    };
    for (std::size_t j = 0; j < kWords; ++j) {
      square += row(a)[j] * row(a)[j];
      difference += (row(a)[j] - row(b)[j]) * (row(a)[j] - row(b)[j]);
    }
    const auto best = [&](const std::vector<float>& all) {
      return std::max_element(row(all).begin(), row(all).end()) - row(all).begin();
    };
    agree += best(a) == best(b) ? 1 : 0;
  }
  EXPECT_GT(difference, 0) << "both precisions computed the same way";
  EXPECT_LT(std::sqrt(difference / square), 0.05);
  EXPECT_GE(agree, 170U);
}

// Weights stored as bytes, with one scale per row, equal the same weights stored as floats.
TEST_F(Precisions, StoredBytesAreScaled) {
  const TemporaryFolder folder;
  std::filesystem::copy(checkpoint_folder("distilroberta"), folder.path(),
                        std::filesystem::copy_options::recursive);
  const auto file = folder.path() / "model.safetensors";
  const auto mapped = base::MappedFile::open(file);
  const auto parsed = base::parse_safetensors(mapped->bytes(), "source");
  std::vector<base::TensorToWrite> tensors;
  const auto add = [&](const std::string& name, base::TensorType type, std::vector<std::uint64_t> shape,
                       std::string bytes) {
    tensors.push_back({name, type, std::move(shape),
                       [bytes = std::move(bytes)](const base::ByteSink& sink) { return sink(bytes); }});
  };
  const std::string chosen = "roberta.encoder.layer.0.intermediate.dense.weight";
  for (const auto& [name, view] : parsed->tensors)
    if (name != chosen) add(name, view.type, view.shape, std::string(base::as_bytes(view.elements<char>())));
  std::vector<float> scales(24);
  std::vector<std::int8_t> rounded(24 * 16);
  std::vector<float> plain(24 * 16);
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    scales[i / 16] = 0.001F * static_cast<float>(1 + i / 16);
    rounded[i] = static_cast<std::int8_t>(static_cast<int>(i * 37 % 255) - 127);
    plain[i] = scales[i / 16] * rounded[i];
  }
  const auto write = [&](bool as_stored_bytes) {
    auto list = tensors;
    std::swap(tensors, list);
    if (as_stored_bytes) {
      add(chosen + ".scale", base::TensorType::f32, {24},
          std::string(base::as_bytes(std::span<const float>(scales))));
      add(chosen, base::TensorType::i8, {24, 16},
          std::string(base::as_bytes(std::span<const std::int8_t>(rounded))));
    } else {
      add(chosen, base::TensorType::f32, {24, 16},
          std::string(base::as_bytes(std::span<const float>(plain))));
    }
    std::swap(tensors, list);
    const auto target = folder.path() / (as_stored_bytes ? "bytes" : "floats");
    std::filesystem::create_directory(target);
    std::filesystem::copy_file(folder.path() / "config.json", target / "config.json");
    EXPECT_TRUE(base::write_safetensors(target / "model.safetensors", {}, list));
    return masked(target);
  };
  const auto from_bytes = write(true);
  const auto from_floats = write(false);
  ASSERT_NE(from_bytes, nullptr);
  ASSERT_NE(from_floats, nullptr);
  const Sequence sequence{{5, 6, 7}, {}, {}, {}};
  const std::uint32_t place = 1;
  std::vector<float> a(61);
  std::vector<float> b(61);
  ASSERT_TRUE(from_bytes->logits({&sequence, 1}, {&place, 1}, a));
  ASSERT_TRUE(from_floats->logits({&sequence, 1}, {&place, 1}, b));
  // Some libraries sum in a different order depending on alignment.
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

}  // namespace
}  // namespace sotto::testing
