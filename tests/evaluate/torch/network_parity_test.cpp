// The trainable graphs have the same states as the inference networks, and learn as the reference does.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "evaluate/torch/networks_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

constexpr double kTolerance = 1e-4;
// Adam divides by the size of the gradient, so rounding in a small one has an effect.
constexpr double kToleranceAfterSteps = 1e-3;

const std::filesystem::path kCheckpoints = std::filesystem::path(SOTTO_LM_DATA) / "torch" / "data";

// Classifiers of the transformers library (make_classifiers.py): answers, losses of AdamW steps with clipped
// gradients, and answers after them.
class ReferenceParity : public NetworkTest,
                        public ::testing::WithParamInterface<std::pair<const char*, unsigned>> {};

TEST_P(ReferenceParity, AnswersAndLearnsAsTheReference) {
  const auto [name, classes] = GetParam();
  const std::filesystem::path folder = std::filesystem::path(SOTTO_TEST_DATA) / name;
  const nlohmann::json expected = read_json(folder / "expected.json");
  const std::vector<lm::Sequence> sequences = sequences_of(expected);
  const auto targets = expected["targets"].get<std::vector<float>>();
  const auto network = transformer(
      folder, lm::StatePooling::first,
      {.classes = classes, .dropout = 0, .weight_decay = expected["decay"], .largest_norm = 1, .threads = 2});
  ASSERT_NE(network, nullptr);
  const std::size_t outputs = std::max(classes, 1U);
  const auto expect_answers = [&](const nlohmann::json& rows, double tolerance) {
    std::vector<float> answers(sequences.size() * outputs);
    ASSERT_TRUE(network->answer({sequences}, answers));
    for (std::size_t i = 0; i < answers.size(); ++i)
      EXPECT_NEAR(answers[i], rows[i / outputs][i % outputs].get<double>(), tolerance) << i;
  };
  expect_answers(expected["before"], kTolerance);
  for (std::size_t step = 0; step < expected["batches"].size(); ++step) {
    const auto members = expected["batches"][step].get<std::vector<std::uint32_t>>();
    const auto loss = network->learn({sequences}, members, targets, expected["rates"][step]);
    ASSERT_TRUE(loss.has_value()) << loss.error().message;
    EXPECT_NEAR(*loss, expected["losses"][step].get<double>(), kToleranceAfterSteps) << step;
  }
  expect_answers(expected["after"], kToleranceAfterSteps);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, ReferenceParity,
                         ::testing::Values(std::pair("bert-classes", 3U), std::pair("roberta-value", 0U)));

void normalize(std::span<float> row) {
  double squares = 0;
  for (const float x : row) squares += static_cast<double>(x) * x;
  for (float& x : row) x = static_cast<float>(x / std::sqrt(squares));
}

class EncoderParity : public NetworkTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // The largest difference between the inference path's vectors and the mean states of the trainable graph.
  double difference(const std::filesystem::path& folder, const std::vector<lm::Sequence>& sequences) {
    const auto network = transformer(folder, lm::StatePooling::mean, {.threads = 2});
    const auto loaded = lm::language_model_plugin();
    if (!network || !loaded) return HUGE_VAL;
    const auto model = (*loaded)->open_sentence(folder, {Device::cpu, Precision::f32, 2});
    if (!model) return HUGE_VAL;
    const std::size_t width = network->width();
    std::vector<float> found(sequences.size() * width);
    std::vector<float> wanted(sequences.size() * width);
    EXPECT_TRUE(network->features({sequences}, found));
    EXPECT_TRUE((*model)->encode(sequences, wanted));
    double largest = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) normalize(std::span(found).subspan(i * width, width));
    for (std::size_t i = 0; i < found.size(); ++i)
      largest = std::max<double>(largest, std::abs(found[i] - wanted[i]));
    return largest;
  }
};

TEST_P(EncoderParity, StatesEqualThoseOfTheInferencePath) {
  const nlohmann::json expected = read_json(kCheckpoints / GetParam() / "expected.json");
  std::vector<lm::Sequence> sequences = sequences_of(expected);
  if (expected.contains("segments") && std::string(GetParam()) == "bert")
    for (std::size_t i = 0; i < sequences.size(); ++i)
      sequences[i].segments = expected["segments"][i].get<std::vector<std::int32_t>>();
  EXPECT_LE(difference(kCheckpoints / GetParam(), sequences), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, EncoderParity,
                         ::testing::Values("bert", "bert-gamma", "roberta-sharded", "distilbert",
                                           "bert-sentence", "roberta-sentence", "distilbert-sentence"));

// 8-bit weights with their scales.
TEST_F(EncoderParity, ShippedEncoder) {
  const std::vector<lm::Sequence> sequences = {{{2, 1200, 345, 4017, 3}, {}, {}, {}},
                                               {{2, 77, 3}, {}, {}, {}}};
  EXPECT_LE(difference(std::filesystem::path(SOTTO_SHIPPED_MODELS) / "sotto-en-encoder", sequences),
            kTolerance);
}

// The head of the bounded model, computed from its weights.
class BoundedScores {
 public:
  explicit BoundedScores(const std::filesystem::path& folder)
      : file_(base::MappedFile::open(folder / "model.safetensors").value()),
        tensors_(base::parse_safetensors(file_.bytes(), "model.safetensors", base::Alignment::any).value()) {}

  std::vector<double> operator()(std::span<const float> state) const {
    std::vector<double> t = affine("head.dense", {state.begin(), state.end()});
    for (double& x : t) x = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    double mean = 0;
    for (const double x : t) mean += x / static_cast<double>(t.size());
    double variance = 0;
    for (const double x : t) variance += (x - mean) * (x - mean) / static_cast<double>(t.size());
    const auto weight = numbers("head.norm.weight");
    const auto bias = numbers("head.norm.bias");
    for (std::size_t i = 0; i < t.size(); ++i)
      t[i] = (t[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
    return affine("head.words", t);
  }

 private:
  std::vector<double> numbers(const std::string& name) const {
    const base::TensorView& view = tensors_.tensors.at(name);
    std::vector<float> values(view.bytes.size() / sizeof(float));
    if (view.type == base::TensorType::f32) {
      std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
      return {values.begin(), values.end()};
    }
    // Bytes with one scale per row.
    const auto scales = numbers(name + ".scale");
    std::vector<double> result;
    for (std::size_t i = 0; i < view.bytes.size(); ++i)
      result.push_back(static_cast<std::int8_t>(view.bytes[i]) *
                       scales[i * scales.size() / view.bytes.size()]);
    return result;
  }
  std::vector<double> affine(const std::string& name, const std::vector<double>& x) const {
    const auto weight = numbers(name + ".weight");
    std::vector<double> result = numbers(name + ".bias");
    for (std::size_t i = 0; i < weight.size(); ++i) result[i / x.size()] += weight[i] * x[i % x.size()];
    return result;
  }

  base::MappedFile file_;
  base::Safetensors tensors_;
};

using BoundedParity = NetworkTest;
using Networks = NetworkTest;

TEST_F(BoundedParity, FirstStatesGiveTheScoresOfTheInferencePath) {
  const std::filesystem::path folder = kCheckpoints / "bounded";
  const nlohmann::json expected = read_json(folder / "expected.json");
  std::vector<lm::Sequence> sequences = sequences_of(expected);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    sequences[i].positions = expected["positions"][i].get<std::vector<std::int32_t>>();
    sequences[i].segments = expected["segments"][i].get<std::vector<std::int32_t>>();
    sequences[i].pieces = expected["pieces"][i].get<std::vector<std::int32_t>>();
  }
  const auto network = transformer(folder, lm::StatePooling::first, {.threads = 2});
  ASSERT_NE(network, nullptr);
  EXPECT_EQ(network->limits().pieces, 3U);
  std::vector<float> states(sequences.size() * network->width());
  ASSERT_TRUE(network->features({sequences}, states));
  const auto model =
      lm::language_model_plugin().value()->open_masked(folder, {Device::cpu, Precision::f32, 2});
  ASSERT_TRUE(model.has_value()) << model.error().message;
  std::vector<float> scores(sequences.size() * (*model)->output_size());
  ASSERT_TRUE((*model)->logits(sequences, std::vector<std::uint32_t>(sequences.size(), 0), scores));
  const BoundedScores head(folder);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto found = head(std::span(states).subspan(i * network->width(), network->width()));
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j], scores[i * found.size() + j], kTolerance) << i << ' ' << j;
  }
}

// A text gives the same states alone and with longer ones, in both directions and several layers.
TEST_F(Networks, PaddingChangesNoState) {
  std::vector<float> vectors(10 * 6);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = std::sin(static_cast<float>(i * i));
  const auto network =
      backend()
          .make_recurrent(
              {.vectors = vectors, .dimension = 6, .hidden = 5, .layers = 2, .bidirectional = true},
              {.threads = 1})
          .value();
  ASSERT_EQ(network->width(), 10U);
  // Lengths that share a batch of answers.
  const std::vector<lm::Sequence> texts = {
      {{1, 2}, {}, {}, {}}, {{7, 3, 9, 4}, {}, {}, {}}, {{5, 5, 8}, {}, {}, {}}};
  std::vector<float> together(30);
  ASSERT_TRUE(network->features({texts}, together));
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<float> alone(10);
    ASSERT_TRUE(network->features({std::span(texts).subspan(i, 1)}, alone));
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(alone[k], together[i * 10 + k], 1e-6) << i << ' ' << k;
  }
}

TEST_F(Networks, WrongInputIsRefused) {
  const auto network = transformer(kCheckpoints / "bert", lm::StatePooling::first, {.threads = 1});
  ASSERT_NE(network, nullptr);
  const std::vector<lm::Sequence> unknown = {{{61}, {}, {}, {}}};
  const std::vector<lm::Sequence> fine = {{{5}, {}, {}, {}}};
  std::vector<float> out(2);
  expect_error(network->answer({unknown}, out), Errc::invalid_argument, {"id 61", "0 to 60"});
  expect_error(network->answer({fine, fine}, out), Errc::invalid_argument, {"single texts"});
  expect_error(network->learn({fine}, {}, std::vector<float>{0}, 1e-3), Errc::invalid_argument, {"target"});
  expect_error(backend().open_transformer(kCheckpoints / "gpt2", lm::StatePooling::first, {}),
               Errc::bad_format, {"model_type", "gpt2", "roberta"});
}

}  // namespace
}  // namespace sotto::testing
