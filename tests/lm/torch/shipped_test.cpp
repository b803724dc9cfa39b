// The shipped models through the plugin, compared with the answers of the code that trained them
// (tests/lm/data/make_shipped.py), and the laws of their draws.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "lm/balanced_law.hpp"
#include "lm/balanced_reference.hpp"
#include "lm/logit_law.hpp"
#include "lm/masked_input.hpp"
#include "lm/torch/plugin_fixture.hpp"
#include "lm/word_filler.hpp"
#include "random/bit_sources.hpp"
#include "support/correlation.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

constexpr double kShippedTolerance = 1e-4;

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(SOTTO_SHIPPED_MODELS) / name;
}

nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::filesystem::path(SOTTO_SHIPPED_DATA) / (name + ".json"));
  return nlohmann::json::parse(file);
}

class Shipped : public PluginTest {
 protected:
  /// A text as the mechanism asks about one slot, or with that slot masked and nothing beside it.
  struct Question {
    Sequence sequence;
    std::uint32_t place = 0;
  };

  std::shared_ptr<const WordFiller> filler() {
    auto opened = WordFiller::open(shipped("sotto-en-mlm"), resources());
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return opened.value_or(nullptr);
  }
  static Question ask(const WordFiller& filler, std::string text, std::size_t slot, bool plain = false) {
    text.reserve(text.size() + 64);
    std::vector<Token> tokens;
    tokenize(text, tokens);
    const MaskedInput input = MaskedInput::make(filler, !plain, 0).value();
    const MaskedText read(filler, text, tokens);
    Question question;
    question.place = plain ? read.mask(input, slot, false, question.sequence)
                           : read.read(read.window_of(input, slot), question.sequence).words[slot];
    return question;
  }
  /// Scores with those of the original's group lowered, as the mechanism does.
  static std::vector<float> lowered(const WordFiller& words, const MaskedModel& model,
                                    const std::string& form, std::vector<float> scores) {
    const auto own = words.find(form);
    if (!own) return scores;
    const OwnPenalty penalty = model.own_penalty();
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (penalty.group[i] == penalty.group[*own]) scores[i] -= penalty.of_word[*own];
    return scores;
  }
  static std::vector<float> answer(const MaskedModel& model, const Question& question) {
    std::vector<float> out(model.output_size());
    EXPECT_TRUE(model.logits({&question.sequence, 1}, {&question.place, 1}, out));
    return out;
  }
  static std::vector<float> squashed(const MaskedModel& model, std::vector<float> scores) {
    squash_all(*model.bounded_head(), scores);
    return scores;
  }
  /// Compares ln P of each token given those before it with the reference, as losses.
  void compare_losses(const std::string& model_name, const std::string& file) {
    const auto model = backend().open_causal(shipped(model_name), resources());
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const auto tokenizer = SubwordTokenizer::open(shipped(model_name));
    ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
    for (const nlohmann::json& row : reference(file)) {
      const Sequence sequence{row["ids"].get<std::vector<std::int32_t>>(), {}, {}, {}};
      const std::vector<SubwordId> ids =
          (*tokenizer)->encode(row["text"].get<std::string>(), {.add_special = false}).ids;
      EXPECT_TRUE(std::equal(ids.begin(), ids.end(), sequence.ids.begin() + 1)) << row["text"];
      std::vector<float> scores(sequence.ids.size() - 1);
      ASSERT_TRUE((*model)->score({&sequence, 1}, scores));
      ASSERT_EQ(scores.size(), row["loss"].size());
      for (std::size_t i = 0; i < scores.size(); ++i)
        EXPECT_NEAR(-scores[i], row["loss"][i].get<double>(), kShippedTolerance) << row["text"] << " " << i;
    }
  }
};

TEST_F(Shipped, MaskedScoresAndProbabilities) {
  const auto words = filler();
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->usual_law(), LawKind::balanced);
  const base::MappedFile file =
      base::MappedFile::open(std::filesystem::path(SOTTO_SHIPPED_DATA) / "mlm.safetensors").value();
  const base::Safetensors tensors = base::parse_safetensors(file.bytes(), "mlm.safetensors").value();
  double worst_score = 0;
  double worst_balanced = 0;
  double worst_bounded = 0;
  const auto compare = [&](const std::string& name, const auto& value_of, double& worst) {
    const base::TensorView* const tensor = tensors.find(name);
    ASSERT_NE(tensor, nullptr) << name;
    const auto expected = tensor->elements<float>();
    for (std::size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(value_of(i)) - expected[i]));
  };
  const auto compare_law = [&](const std::string& name, const DrawLaw& law, std::span<const float> answers,
                               double& worst) {
    std::vector<std::uint64_t> weights;
    ASSERT_TRUE(law.weights(answers, weights));
    long double total = 0;
    for (const std::uint64_t weight : weights) total += weight;
    compare(
        name, [&](std::size_t i) { return static_cast<double>(weights[i] / total); }, worst);
  };
  const nlohmann::json cases = reference("mlm");
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const nlohmann::json& row = cases[n];
    const std::string number = std::to_string(n);
    const Question question = ask(*words, row["text"], row["slot"], row["plain"]);
    EXPECT_EQ(question.sequence.ids, row["pieces"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(question.sequence.positions, row["slots"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(question.sequence.pieces, row["indices"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(question.sequence.segments, row["segments"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(question.place, row["at"].get<std::uint32_t>());
    if (row["plain"]) {
      const std::vector<float> z = answer(words->model(), question);
      compare(
          number + ".plain.z", [&](std::size_t i) { return z[i]; }, worst_score);
      continue;
    }
    const double epsilon = row["epsilon"];
    const double wander = row["wander"];
    const auto balanced = words->model().at_reach(epsilon, wander).value();
    std::vector<float> z = answer(*balanced, question);
    compare(
        number + ".balanced.z", [&](std::size_t i) { return z[i]; }, worst_score);
    const BoundedHead& head = *balanced->bounded_head();
    const std::string form = row["form"];
    const bool known = words->find(form).has_value();
    z = lowered(*words, *balanced, form, z);
    for (float& score : z) score *= known ? head.sharpness_known : head.sharpness_unknown;
    compare_law(number + ".balanced.p",
                BalancedLaw::make(head, epsilon, words->logits(), balanced->log_base()).value(), z,
                worst_balanced);
    const auto bounded = words->model().at_reach(epsilon / 2, wander).value();
    compare_law(
        number + ".bounded.p",
        LogitLaw::make(*bounded->bounds(), std::min(epsilon, 250.0), words->logits(), bounded->log_base())
            .value(),
        squashed(*bounded, lowered(*words, *bounded, form, answer(*bounded, question))), worst_bounded);
  }
  RecordProperty("largest_difference_of_scores", std::to_string(worst_score));
  RecordProperty("largest_difference_of_probabilities",
                 std::to_string(std::max(worst_balanced, worst_bounded)));
  EXPECT_LE(worst_score, kShippedTolerance);
  EXPECT_LE(worst_bounded, kShippedTolerance);
  EXPECT_LE(worst_balanced, kShippedTolerance + BalancedLaw::kLeftOut);
}

// 8-bit activations against 32 bits, at every place that the reference asks about.
TEST_F(Shipped, EngineFollowsThePlugin) {
  const auto words = filler();
  ASSERT_NE(words, nullptr);
  const auto engine =
      engine_backend().open_masked(shipped("sotto-en-mlm"), resources(Precision::int8)).value();
  double worst = 1;
  for (const nlohmann::json& row : reference("mlm")) {
    const Question question = ask(*words, row["text"], row["slot"], row["plain"]);
    for (const double reach : {1.0, 10.0, 50.0}) {
      const std::vector<float> exact = answer(*words->model().at_reach(reach, 0).value(), question);
      const std::vector<float> bytes = answer(*engine->at_reach(reach, 0).value(), question);
      worst = std::min(worst, correlation(exact, bytes));
    }
  }
  RecordProperty("smallest_correlation", std::to_string(worst));
  EXPECT_GT(worst, 0.99) << worst;
}

TEST_F(Shipped, EncoderVectors) {
  const auto model = backend().open_sentence(shipped("sotto-en-encoder"), resources());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto tokenizer = SubwordTokenizer::open(shipped("sotto-en-encoder"));
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  for (const nlohmann::json& row : reference("encoder")) {
    const Sequence sequence{row["ids"].get<std::vector<std::int32_t>>(), {}, {}, {}};
    const std::vector<SubwordId> ids = (*tokenizer)->encode(row["text"].get<std::string>()).ids;
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), sequence.ids.begin(), sequence.ids.end())) << row["text"];
    std::vector<float> vector((*model)->dimension());
    ASSERT_TRUE((*model)->encode({&sequence, 1}, vector));
    const auto mean = row["mean"].get<std::vector<double>>();
    double length = 0;
    for (const double x : mean) length += x * x;
    for (std::size_t i = 0; i < mean.size(); ++i)
      EXPECT_NEAR(vector[i], mean[i] / std::sqrt(length), kShippedTolerance) << row["text"] << " " << i;
  }
}

TEST_F(Shipped, CausalLosses) {
  compare_losses("sotto-en-causal", "causal");
}

TEST_F(Shipped, ParaphraseLosses) {
  compare_losses("sotto-en-paraphrase", "paraphrase");
}

TEST_F(Shipped, BothLawsAreSampledAtEveryEpsilon) {
  // The word "waste" in a sentence; n = 20,000 draws per law and ε (2,000 under sanitizers), α = 1e-6,
  // against independent computations of the laws from the model's scores. Where a law makes the outcome
  // certain, all draws must equal it.
  constexpr std::uint64_t kDraws = kSanitized ? 2'000 : 20'000;
  const auto words = filler();
  ASSERT_NE(words, nullptr);
  const Question question =
      ask(*words, "The movie was a complete waste of time, and the acting was terrible.", 5);
  const auto test = [&](const DrawLaw& law, std::span<const float> answers,
                        const std::vector<double>& exact) {
    std::vector<std::uint64_t> weights;
    ASSERT_TRUE(law.weights(answers, weights));
    random::ChaChaBitSource bits(random::key_from_seed(static_cast<std::uint64_t>(law.epsilon())));
    std::vector<std::uint64_t> counts(weights.size());
    for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[DrawLaw::draw_weighted(weights, bits)];
    // The likely words one by one, all others together.
    std::vector<std::uint64_t> observed = {0};
    std::vector<double> expected = {0};
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const bool alone = exact[i] * kDraws >= 10;
      if (alone) {
        observed.push_back(0);
        expected.push_back(0);
      }
      (alone ? observed.back() : observed.front()) += counts[i];
      (alone ? expected.back() : expected.front()) += exact[i];
    }
    if (expected.front() * kDraws < 10) {
      observed[1] += observed.front();
      expected[1] += expected.front();
      observed.erase(observed.begin());
      expected.erase(expected.begin());
    }
    if (expected.size() == 1)
      EXPECT_EQ(observed[0], kDraws);
    else
      SOTTO_EXPECT_PASSES(chi_squared_test(observed, expected, 1e-6));
  };
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    const auto balanced = words->model().at_reach(epsilon, 0).value();
    const BoundedHead& head = *balanced->bounded_head();
    std::vector<float> z = answer(*balanced, question);
    for (float& score : z) score *= head.sharpness_known;
    test(BalancedLaw::make(head, epsilon, words->logits(), balanced->log_base()).value(), z,
         balanced_law(z, balanced->log_base(), head, epsilon));
    const auto bounded = words->model().at_reach(epsilon / 2, 0).value();
    const std::vector<float> logits = squashed(*bounded, answer(*bounded, question));
    std::vector<double> exact;
    double total = 0;
    for (std::size_t i = 0; i < logits.size(); ++i)
      total += exact.emplace_back(std::exp(epsilon / 2 * (logits[i] / 10.0 - 1) + bounded->log_base()[i]));
    for (double& p : exact) p /= total;
    test(LogitLaw::make(*bounded->bounds(), epsilon, words->logits(), bounded->log_base()).value(), logits,
         exact);
  }
}

}  // namespace
}  // namespace sotto::testing
