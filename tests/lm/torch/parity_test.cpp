// Answers equal those of the transformers library (make_checkpoints.py), which computes each sequence alone;
// here they run in padded batches.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lm/torch/plugin_fixture.hpp"
#include "support/correlation.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

constexpr float kTolerance = 1e-4F;

float largest_difference(std::span<const float> found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  float largest = 0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    EXPECT_TRUE(std::isfinite(found[i]));
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  }
  return largest;
}

class MaskedParity : public PluginTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(MaskedParity, EqualsReference) {
  const nlohmann::json expected = expected_of(GetParam());
  const auto model = masked(checkpoint_folder(GetParam()));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->output_size(), 61U);
  EXPECT_EQ(model->max_positions(), 12U);
  std::vector<Sequence> sequences = sequences_of(expected);
  if (model->segment_count() > 1)
    for (std::size_t i = 0; i < sequences.size(); ++i)
      sequences[i].segments = expected["segments"][i].get<std::vector<std::int32_t>>();
  const auto places = expected["masked"].get<std::vector<std::uint32_t>>();
  std::vector<float> logits(sequences.size() * 61);
  ASSERT_TRUE(model->logits(sequences, places, logits));
  float largest = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i)
    largest =
        std::max(largest, largest_difference(std::span(logits).subspan(i * 61, 61), expected["logits"][i]));
  RecordProperty("largest_difference", std::to_string(largest));
  EXPECT_LE(largest, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, MaskedParity,
                         ::testing::Values("bert", "bert-gamma", "roberta-sharded", "distilroberta",
                                           "distilbert"));

class BoundedParity : public PluginTest {};

TEST_F(BoundedParity, EqualsReferenceAtEveryReach) {
  const nlohmann::json expected = expected_of("bounded");
  const auto plain = masked(checkpoint_folder("bounded"));
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->input_size(), 61U);
  EXPECT_EQ(plain->output_size(), 37U);
  EXPECT_EQ(plain->piece_count(), 3U);
  EXPECT_EQ(plain->bounded_head(), nullptr);
  std::vector<Sequence> sequences = sequences_of(expected);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    sequences[i].positions = expected["positions"][i].get<std::vector<std::int32_t>>();
    sequences[i].segments = expected["segments"][i].get<std::vector<std::int32_t>>();
    sequences[i].pieces = expected["pieces"][i].get<std::vector<std::int32_t>>();
  }
  const auto places = expected["masked"].get<std::vector<std::uint32_t>>();
  for (const nlohmann::json& answer : expected["reaches"]) {
    std::shared_ptr<const MaskedModel> model = plain;
    const double reach = answer["reach"];
    if (reach > 0) {
      const auto told = plain->at_reach(reach, 0);
      ASSERT_TRUE(told.has_value()) << told.error().message;
      model = *told;
      const BoundedHead* head = model->bounded_head();
      ASSERT_NE(head, nullptr);
      EXPECT_EQ(head->range, 10.F);
      EXPECT_NEAR(head->slope, answer["slope"].get<float>(), 1e-5);
      EXPECT_NEAR(head->log_total, answer["log_total"].get<float>(), 1e-5);
      EXPECT_NEAR(head->sharpness_known, answer["sharpness"][0].get<float>(), 1e-5);
      EXPECT_NEAR(head->sharpness_unknown, answer["sharpness"][1].get<float>(), 1e-5);
      EXPECT_LE(largest_difference(model->log_base(), answer["log_base"]), 1e-5);
    }
    std::vector<float> scores(sequences.size() * 37);
    ASSERT_TRUE(model->logits(sequences, places, scores));
    for (std::size_t i = 0; i < sequences.size(); ++i)
      EXPECT_LE(largest_difference(std::span(scores).subspan(i * 37, 37), answer["scores"][i]), kTolerance);
  }
}

// Whatever the scores are, logits stay in the range.
TEST_F(BoundedParity, LogitsCannotLeaveTheRange) {
  const TemporaryFolder folder;
  std::filesystem::copy(checkpoint_folder("bounded"), folder.path(),
                        std::filesystem::copy_options::recursive);
  nlohmann::json config = nlohmann::json::parse(std::ifstream(folder.path() / "config.json"));
  config["slope"] = 1e6;
  std::ofstream(folder.path() / "config.json") << config;
  const auto opened = masked(folder.path());
  ASSERT_NE(opened, nullptr);
  ASSERT_TRUE(opened->bounds().has_value());
  const auto model = opened->at_reach(0.005, 0).value();
  const Sequence sequence{{5, 6, 7}, {}, {}, {}};
  const std::uint32_t place = 1;
  std::vector<float> logits(37);
  ASSERT_TRUE(model->logits({&sequence, 1}, {&place, 1}, logits));
  squash_all(*model->bounded_head(), logits);
  const auto [least, most] = std::minmax_element(logits.begin(), logits.end());
  EXPECT_GE(*least, opened->bounds()->lowest);
  EXPECT_LT(*least, 1e-30F);
  EXPECT_EQ(*most, opened->bounds()->highest);
}

// 8-bit activations against 32 bits, several places of several sequences in one pass.
TEST_F(BoundedParity, OnePassEqualsTheEngine) {
  const TemporaryFolder folder;
  OnePassCheckpoint({"cat", "cats", "dog", "dogs", "the", "not", "is"}).write(folder.path());
  const auto plugin = masked(folder.path());
  ASSERT_NE(plugin, nullptr);
  const auto engine = engine_backend().open_masked(folder.path(), resources()).value();
  EXPECT_EQ(plugin->usual_wander(), 1.0);
  const std::vector<Sequence> sequences = {
      {{70, 68, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}},
      {{80, 81}, {0, 0}, {0, 0}, {0, 1}},
      {{66, 67, 68, 69, 70, 1}, {0, 1, 2, 3, 4, 2}, {0, 0, 0, 0, 0, 1}, {}}};
  const std::vector<std::vector<std::uint32_t>> places = {{0, 2}, {1}, {4, 5, 0}};
  const auto answers = [&](const MaskedModel& model) {
    std::vector<float> out(6 * model.output_size());
    EXPECT_TRUE(model.logits_at(sequences, places, out));
    return out;
  };
  for (const double wander : {0.0, 0.3, 1.0}) {
    const auto one = plugin->at_reach(3, wander).value();
    const auto other = engine->at_reach(3, wander).value();
    const std::vector<float> exact = answers(*one);
    EXPECT_GT(correlation(exact, answers(*other)), 0.999) << wander;
    EXPECT_NEAR(one->bounded_head()->log_total, other->bounded_head()->log_total, 1e-5);
    EXPECT_TRUE(std::ranges::equal(one->own_penalty().of_word, other->own_penalty().of_word));
    EXPECT_TRUE(std::ranges::equal(one->own_penalty().group, other->own_penalty().group));
    // One place of a sequence at a time.
    std::vector<float> alone(one->output_size());
    ASSERT_TRUE(one->logits({&sequences[2], 1}, {&places[2][1], 1}, alone));
    for (std::size_t i = 0; i < alone.size(); ++i)
      EXPECT_NEAR(alone[i], exact[4 * alone.size() + i], kTolerance);
  }
  EXPECT_GT(correlation(answers(*plugin), answers(*engine)), 0.999) << "without a reach";
  std::vector<float> out(plugin->output_size());
  expect_error(plugin->logits_at({&sequences[0], 1}, std::vector<std::vector<std::uint32_t>>{{3}}, out),
               Errc::invalid_argument, {"place 3"});
  expect_error(plugin->logits_at({&sequences[0], 1}, std::vector<std::vector<std::uint32_t>>{{}}, {}),
               Errc::invalid_argument, {"no place"});
  expect_error(plugin->logits_at(sequences, std::vector<std::vector<std::uint32_t>>{{0}}, out),
               Errc::invalid_argument, {"3 sequences"});
  OnePassCheckpoint damaged({"cat", "cats"});
  damaged.floats["own_penalty"].values[0] = -1;
  damaged.write(folder.path());
  expect_error(backend().open_masked(folder.path(), resources()), Errc::bad_format, {"own_penalty", "-1"});
}

TEST_F(BoundedParity, ReachMustBePositive) {
  const auto model = masked(checkpoint_folder("bounded"));
  ASSERT_NE(model, nullptr);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    expect_error(model->at_reach(wrong, 0), Errc::invalid_argument, {"reach", "above 0"});
  }
  const auto other = masked(checkpoint_folder("bert"));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->at_reach(1, 0).value(), nullptr);
  EXPECT_FALSE(other->bounds().has_value());
}

// The last layer and the head computed for one position give what they give there when computed for all.
TEST_P(MaskedParity, EverywhereHoldsTheMaskedPlace) {
  const auto model = masked(checkpoint_folder(GetParam()));
  ASSERT_NE(model, nullptr);
  const Sequence sequence{{5, 17, 33, 8, 60, 41, 12}, {}, {}, {}};
  std::vector<float> all(7 * 61);
  ASSERT_TRUE(model->logits_everywhere(sequence, all));
  for (std::uint32_t place = 0; place < 7; ++place) {
    std::vector<float> one(61);
    ASSERT_TRUE(model->logits({&sequence, 1}, {&place, 1}, one));
    EXPECT_LE(largest_difference(one, {all.begin() + 61 * place, all.begin() + 61 * (place + 1)}), 1e-5);
  }
}

class SentenceParity : public PluginTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SentenceParity, EqualsReference) {
  const nlohmann::json expected = expected_of(GetParam());
  const auto model = backend().open_sentence(checkpoint_folder(GetParam()), resources());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const std::vector<Sequence> sequences = sequences_of(expected);
  std::vector<float> vectors(sequences.size() * 16);
  ASSERT_EQ((*model)->dimension(), 16U);
  ASSERT_TRUE((*model)->encode(sequences, vectors));
  for (std::size_t i = 0; i < sequences.size(); ++i)
    EXPECT_LE(largest_difference(std::span(vectors).subspan(i * 16, 16), expected["vectors"][i]), kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, SentenceParity,
                         ::testing::Values("bert-sentence", "roberta-sentence", "distilbert-sentence"));

class CausalParity : public PluginTest, public ::testing::WithParamInterface<const char*> {
 protected:
  std::shared_ptr<const CausalModel> open() {
    const auto model = backend().open_causal(checkpoint_folder(GetParam()), resources());
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return model.value_or(nullptr);
  }
};

TEST_P(CausalParity, ScoresEqualReference) {
  const nlohmann::json expected = expected_of(GetParam());
  const auto model = open();
  ASSERT_NE(model, nullptr);
  std::vector<float> scores;
  for (const nlohmann::json& row : expected["scores"])
    for (const nlohmann::json& score : row) scores.push_back(score);
  std::vector<float> found(scores.size());
  ASSERT_TRUE(model->score(sequences_of(expected), found));
  EXPECT_LE(largest_difference(found, scores), kTolerance);
}

// Prompts of different lengths grow in one batch; a sequence without a next token gets an arbitrary one.
TEST_P(CausalParity, GenerationEqualsReference) {
  const nlohmann::json expected = expected_of(GetParam());
  const auto model = open();
  ASSERT_NE(model, nullptr);
  const std::vector<Sequence> whole = sequences_of(expected);
  std::vector<Sequence> prompts = whole;
  for (Sequence& prompt : prompts) prompt.ids.resize((prompt.ids.size() + 1) / 2);
  std::vector<float> logits(prompts.size() * 61);
  auto generation = model->begin(prompts, logits);
  ASSERT_TRUE(generation.has_value()) << generation.error().message;
  for (std::size_t step = 0; step < 6; ++step) {
    std::vector<std::int32_t> next(prompts.size(), 5);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const std::size_t place = prompts[i].ids.size() + step;
      if (place <= whole[i].ids.size()) {
        EXPECT_LE(largest_difference(std::span(logits).subspan(i * 61, 61), expected["next"][i][place - 1]),
                  kTolerance);
      }
      if (place < whole[i].ids.size()) next[i] = whole[i].ids[place];
    }
    ASSERT_TRUE((*generation)->append(next, logits));
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, CausalParity, ::testing::Values("gpt2", "gpt2-bare"));

class AnswerParity : public PluginTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(AnswerParity, GenerationEqualsReference) {
  const nlohmann::json expected = expected_of(GetParam());
  const auto model = backend().open_causal(checkpoint_folder(GetParam()), resources());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_TRUE((*model)->answers());
  const std::vector<Sequence> texts = sequences_of(expected);
  std::vector<float> logits(texts.size() * 61);
  auto generation = (*model)->begin(texts, logits);
  ASSERT_TRUE(generation.has_value()) << generation.error().message;
  for (std::size_t step = 0; step <= 12; ++step) {
    std::vector<std::int32_t> next;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_LE(largest_difference(std::span(logits).subspan(i * 61, 61), expected["next"][i][step]),
                kTolerance);
      next.push_back(step < 12 ? expected["answers"][i][step].get<std::int32_t>() : 0);
    }
    ASSERT_TRUE((*generation)->append(next, logits));
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, AnswerParity, ::testing::Values("t5", "flan-t5"));

}  // namespace
}  // namespace sotto::testing
