// The shipped models by the engine: near the answers of the code that trained them
// (tests/lm/data/make_shipped.py, in 32 bits), and the same bits with every instruction set, number of
// threads and batch.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "lm/engine/engine_fixture.hpp"
#include "support/every_target.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

constexpr double kReach = 10;
constexpr double kWander = 0.75;

std::vector<float> masked_scores(const MaskedModel& opened) {
  const MaskedQuestions questions = masked_questions();
  const auto model = opened.at_reach(kReach, kWander).value();
  std::vector<float> out(questions.sequences.size() * model->output_size());
  EXPECT_TRUE(model->logits(questions.sequences, questions.places, out));
  return out;
}

std::vector<float> masked_logits(const MaskedModel& opened) {
  const MaskedQuestions questions = masked_questions();
  const auto model = opened.at_reach(kReach / 2, kWander).value();
  std::vector<float> out(questions.sequences.size() * model->output_size());
  EXPECT_TRUE(model->logits(questions.sequences, questions.places, out));
  const BoundedHead& head = *model->bounded_head();
  squash_all(head, out);
  out.insert(out.end(), model->log_base().begin(), model->log_base().end());
  out.insert(out.end(), {head.slope, head.log_total, head.sharpness_known, head.sharpness_unknown});
  return out;
}

std::vector<float> sentence_vectors(const SentenceModel& model) {
  const std::vector<Sequence> sequences = reference_ids("encoder");
  std::vector<float> out(sequences.size() * model.dimension());
  EXPECT_TRUE(model.encode(sequences, out));
  return out;
}

std::vector<float> causal_scores(const CausalModel& model, const std::string& reference) {
  const std::vector<Sequence> sequences = reference_ids(reference);
  std::size_t count = 0;
  for (const Sequence& sequence : sequences) count += sequence.ids.size() - 1;
  std::vector<float> out(count);
  EXPECT_TRUE(model.score(sequences, out));
  return out;
}

/// The logits of all steps of texts that grow from prompts, each by its best token.
std::vector<float> generated_logits(const CausalModel& model) {
  const std::vector<Sequence> prompts = {{{0, 100, 200, 300}, {}, {}, {}}, {{0, 17}, {}, {}, {}}};
  const std::size_t words = model.output_size();
  std::vector<float> logits(prompts.size() * words);
  const auto generation = model.begin(prompts, logits).value();
  std::vector<float> all = logits;
  for (int step = 0; step < 20; ++step) {
    std::vector<std::int32_t> tokens;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto row = std::span(logits).subspan(i * words, words);
      tokens.push_back(static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    EXPECT_TRUE(generation->append(tokens, logits));
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

TEST(EngineShipped, MaskedScoresFollowTheReference) {
  const auto opened = engine_masked();
  const auto file =
      base::MappedFile::open(std::filesystem::path(SOTTO_SHIPPED_DATA) / "mlm.safetensors").value();
  const base::Safetensors tensors = base::parse_safetensors(file.bytes(), "mlm.safetensors").value();
  const nlohmann::json cases = shipped_reference("mlm");
  const MaskedQuestions questions = masked_questions();
  double worst = 1;
  std::size_t agree = 0;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const bool plain = cases[n]["plain"];
    const auto model = plain ? opened : opened->at_reach(cases[n]["epsilon"], cases[n]["wander"]).value();
    std::vector<float> z(model->output_size());
    ASSERT_TRUE(model->logits({&questions.sequences[n], 1}, {&questions.places[n], 1}, z));
    const auto expected =
        tensors.find(std::to_string(n) + (plain ? ".plain.z" : ".balanced.z"))->elements<float>();
    z.resize(expected.size());  // the reference has the first words only
    worst = std::min(worst, correlation(z, expected));
    agree += std::max_element(z.begin(), z.end()) - z.begin() ==
             std::max_element(expected.begin(), expected.end()) - expected.begin();
  }
  std::printf("    smallest correlation of scores %.5f; the best word is the same in %zu of %zu\n", worst,
              agree, cases.size());
  EXPECT_GT(worst, 0.99);
}

TEST(EngineShipped, EncoderVectorsFollowTheReference) {
  const auto model = engine_sentence();
  const std::vector<float> vectors = sentence_vectors(*model);
  const nlohmann::json cases = shipped_reference("encoder");
  double worst = 1;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const auto mean = cases[n]["mean"].get<std::vector<double>>();
    double product = 0;
    double length = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      product += mean[i] * vectors[n * mean.size() + i];
      length += mean[i] * mean[i];
    }
    worst = std::min(worst, product / std::sqrt(length));
  }
  std::printf("    smallest cosine %.5f\n", worst);
  EXPECT_GT(worst, 0.99);
}

TEST(EngineShipped, LossesFollowTheReference) {
  for (const char* name : {"causal", "paraphrase"}) {
    const auto model = engine_causal(std::string("sotto-en-") + name);
    const std::vector<float> scores = causal_scores(*model, name);
    std::vector<float> losses;
    for (const nlohmann::json& row : shipped_reference(name))
      for (const nlohmann::json& loss : row["loss"]) losses.push_back(-loss.get<float>());
    ASSERT_EQ(losses.size(), scores.size());
    double difference = 0;
    double worst = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      difference += (scores[i] - losses[i]) / static_cast<double>(losses.size());
      worst = std::max(worst, std::abs(static_cast<double>(scores[i] - losses[i])));
    }
    std::printf("    %s: correlation %.5f, mean difference %.4f, largest %.4f\n", name,
                correlation(scores, losses), difference, worst);
    EXPECT_GT(correlation(scores, losses), 0.99);
    EXPECT_LT(std::abs(difference), 0.02);
  }
}

// Pinned: other bits need another number in the engine's arithmetic(), which makes a re-run a new spend.
struct Pinned {
  const char* what;
  std::function<std::vector<float>(unsigned threads)> answers;
  const char* digest;
};

const std::vector<Pinned>& pinned_answers() {
  static const std::vector<Pinned> kPinned = {
      {"scores", [](unsigned n) { return masked_scores(*engine_masked(n)); }, "3427048cad6a7525"},
      {"logits", [](unsigned n) { return masked_logits(*engine_masked(n)); }, "ebe47d0528520bbb"},
      {"vectors", [](unsigned n) { return sentence_vectors(*engine_sentence(n)); }, "a64dae3e11545a28"},
      {"losses", [](unsigned n) { return causal_scores(*engine_causal("sotto-en-causal", n), "causal"); },
       "e5203bbade3b7469"},
      {"paraphrase", [](unsigned n) { return generated_logits(*engine_causal("sotto-en-paraphrase", n)); },
       "ac4d85f745719306"}};
  return kPinned;
}

TEST(EngineShipped, BitsAreTheSameOnEveryTarget) {
  const std::size_t targets = on_every_target([](const char* target) {
    for (const Pinned& pinned : pinned_answers())
      EXPECT_EQ(digest_of(pinned.answers(1)), pinned.digest) << pinned.what << " " << target;
  });
  std::printf("    %zu instruction sets\n", targets);
}

TEST(EngineShipped, BitsDoNotDependOnThreads) {
  for (const unsigned threads : {2U, 8U})
    for (const Pinned& pinned : pinned_answers())
      EXPECT_EQ(digest_of(pinned.answers(threads)), pinned.digest) << pinned.what << " " << threads;
}

TEST(EngineShipped, BitsDoNotDependOnTheBatch) {
  const auto model = engine_masked(2)->at_reach(kReach, kWander).value();
  const MaskedQuestions questions = masked_questions();
  const std::size_t words = model->output_size();
  const std::size_t count = questions.sequences.size();
  std::vector<float> together(count * words);
  ASSERT_TRUE(model->logits(questions.sequences, questions.places, together));
  std::vector<float> alone(words);
  MaskedQuestions reversed;
  for (std::size_t i = count; i-- > 0;) {
    ASSERT_TRUE(model->logits({&questions.sequences[i], 1}, {&questions.places[i], 1}, alone));
    EXPECT_TRUE(same_bits(alone, std::span(together).subspan(i * words, words))) << i;
    for (int copy = 0; copy < 3; ++copy) {
      reversed.sequences.push_back(questions.sequences[i]);
      reversed.places.push_back(questions.places[i]);
    }
  }
  std::vector<float> backwards(3 * count * words);
  ASSERT_TRUE(model->logits(reversed.sequences, reversed.places, backwards));
  for (std::size_t i = 0; i < 3 * count; ++i)
    EXPECT_TRUE(same_bits(std::span(backwards).subspan(i * words, words),
                          std::span(together).subspan((count - 1 - i / 3) * words, words)))
        << i;
}

TEST(EngineShipped, GrowingTextEqualsPrompt) {
  const auto model = engine_causal("sotto-en-causal");
  const Sequence whole{{0, 5, 99, 1234, 77, 3, 3, 900, 12}, {}, {}, {}};
  const std::size_t words = model->output_size();
  std::vector<float> expected(words);
  ASSERT_TRUE(model->begin({&whole, 1}, expected));
  const Sequence start{{0, 5, 99}, {}, {}, {}};
  std::vector<float> logits(words);
  const auto generation = model->begin({&start, 1}, logits).value();
  for (std::size_t i = 3; i < whole.ids.size(); ++i)
    ASSERT_TRUE(generation->append({&whole.ids[i], 1}, logits));
  EXPECT_TRUE(same_bits(logits, expected));
}

}  // namespace
}  // namespace sotto::testing
