// Draws made by the plugin's models: their law, and whose randomness they use.
#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "lm/balanced_law.hpp"
#include "lm/balanced_reference.hpp"
#include "lm/masked_mechanism.hpp"
#include "lm/torch/plugin_fixture.hpp"
#include "lm/torch/tested_device.hpp"
#include "random/bit_sources.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/result_matchers.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

const std::vector<std::string> kWords = {"cat", "cats", "dog", "dogs", "walk", "walks",
                                         "the", "not",  "is",  "anna", "otto", "rome"};

class WordDrawers : public PluginTest {
 protected:
  /// A text of words, and the stream of its document.
  struct Document {
    Document(const MaskedMechanism& mechanism, std::string given, std::uint64_t seed)
        : text(std::move(given)), bits(random::key_from_seed(seed)) {
      text.reserve(text.size() + 64);
      tokenize(text, tokens);
      document.text = text;
      document.tokens = tokens;
      for (std::uint32_t i = 0; i < tokens.size(); ++i) document.drawn.push_back(i);
      document.bits = &bits;
      mechanism.prepare(document);
    }
    std::string text;
    std::vector<Token> tokens;
    random::ChaChaBitSource bits;
    MaskedDocument document;
  };

  static MaskedOptions options(double epsilon, double wander, bool by_model = true) {
    MaskedOptions options;
    options.epsilon = epsilon;
    options.wander = wander;
    options.drawn_by_model = by_model;
    return options;
  }
  static LanguageModelResources drawing_resources() {
    LanguageModelResources how = resources();
    if (tested_on_gpu()) how.device = Device::cuda;
    return how;
  }
  static std::shared_ptr<const MaskedMechanism> mechanism(
      const std::filesystem::path& folder, const MaskedOptions& options,
      const LanguageModelResources& how = drawing_resources()) {
    return MaskedMechanism::make(WordFiller::open(folder, how).value(), options, {}).value();
  }
  std::filesystem::path tiny_model() const {
    OnePassCheckpoint(kWords).write(folder_.path());
    return folder_.path();
  }
  static std::vector<std::uint32_t> words_of(const MaskedDocument& document) {
    std::vector<std::uint32_t> words;
    for (const MaskedOutput& output : document.outputs) words.push_back(output.word);
    return words;
  }

  /// χ² of the words drawn at all places of `texts` documents with this text, against the laws computed from
  /// the scores that the model answers. Numbers of draws per place are fixed, which only makes the statistic
  /// smaller.
  static void expect_law(const MaskedMechanism& drawing, const std::string& text, const MaskedOptions& how,
                         std::size_t texts) {
    std::deque<Document> documents;
    std::vector<MaskedDocument> together;
    for (std::size_t i = 0; i < texts; ++i)
      together.push_back(documents.emplace_back(drawing, text, i).document);
    ASSERT_TRUE(drawing.drawn_by_model());
    ASSERT_TRUE(drawing.rewrite(together));
    const WordFiller& filler = drawing.filler();
    const auto model = filler.model().at_reach(how.epsilon, *how.wander).value();
    const BoundedHead& head = *model->bounded_head();
    const MaskedText masked(filler, documents[0].text, documents[0].tokens);
    const MaskedInput input = MaskedInput::make(filler, true, 0).value();
    Sequence sequence;
    const std::vector<std::uint32_t> places = masked.read(masked.window_of(input, 0), sequence).words;
    std::vector<std::uint64_t> counts;
    std::vector<double> expected;
    for (std::size_t place = 0; place < places.size(); ++place) {
      std::vector<float> scores(model->output_size());
      ASSERT_TRUE(
          model->logits_at({&sequence, 1}, std::vector<std::vector<std::uint32_t>>{{places[place]}}, scores));
      const auto own = filler.find(documents[0].document.original(place));
      const OwnPenalty penalty = model->own_penalty();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (own && penalty.group[i] == penalty.group[*own]) scores[i] -= penalty.of_word[*own];
        scores[i] *= own ? head.sharpness_known : head.sharpness_unknown;
      }
      for (const double share : balanced_law(scores, model->log_base(), head, how.epsilon))
        expected.push_back(share / static_cast<double>(places.size()));
      counts.resize(expected.size());
      for (const MaskedDocument& document : together)
        ++counts[place * scores.size() + document.outputs[place].word];
    }
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, expected, 1e-6));
  }

  const TemporaryFolder folder_;
};

TEST_F(WordDrawers, DrawByTheLaw) {
  // n = 3,000 documents of five places per ε and wander, α = 1e-6; words of the model and others.
  const std::filesystem::path folder = tiny_model();
  for (const double epsilon : {1.0, 4.0, 16.0})
    for (const double wander : {0.0, 0.5, 1.0}) {
      const MaskedOptions how = options(epsilon, wander);
      expect_law(*mechanism(folder, how), "cats the xyz otto walk", how, kSanitized ? 1'000 : 3'000);
    }
}

TEST_F(WordDrawers, TheShippedModelDrawsByTheLaw) {
  // n = 60 documents of seven places, α = 1e-6.
  const MaskedOptions how = options(25, 1);
  const auto drawing = mechanism(std::filesystem::path(SOTTO_SHIPPED_MODELS) / "sotto-en-mlm", how);
  expect_law(*drawing, "The waiter brought cold soup again yesterday", how, kSanitized ? 20 : 60);
}

TEST_F(WordDrawers, DocumentsDrawTheSameAloneAndTogether) {
  const auto drawing = mechanism(tiny_model(), options(16, 1));
  std::deque<Document> documents;
  std::vector<MaskedDocument> together;
  const auto text_of = [](std::size_t i) {
    std::string text = kWords[i % 12];
    for (std::size_t k = 0; k < i % 19; ++k) text += " " + kWords[(i * k + k) % 12];
    return text;
  };
  for (std::size_t i = 0; i < 400; ++i)
    together.push_back(documents.emplace_back(*drawing, text_of(i), i).document);
  ASSERT_TRUE(drawing->rewrite(together));
  std::size_t different = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    Document alone(*drawing, text_of(i), i);
    ASSERT_TRUE(drawing->rewrite({&alone.document, 1}));
    different += words_of(alone.document) != words_of(together[i]);
    // Whatever rounding did to the scores, the same numbers were taken.
    EXPECT_EQ(alone.bits.next(), documents[i].bits.next());
  }
  // Of 4,000 draws: rounding moves a boundary between words by some 1e-6.
  EXPECT_LE(different, 1U);
}

TEST_F(WordDrawers, SeveralThreadsDrawTheSameAtOnce) {
  const auto drawing = mechanism(tiny_model(), options(4, 1));
  constexpr std::size_t kTexts = 64;
  const auto rewritten = [&](unsigned threads) {
    std::vector<std::vector<std::uint32_t>> words(kTexts);
    base::parallel_for(kTexts, 1, threads, [&](std::size_t i, std::size_t) {
      Document document(*drawing, "cat the dogs xyz", i);
      EXPECT_TRUE(drawing->rewrite({&document.document, 1}));
      words[i] = words_of(document.document);
    });
    return words;
  };
  EXPECT_EQ(rewritten(5), rewritten(1));
}

TEST_F(WordDrawers, TakeAsManyNumbersAsTheHost) {
  const std::filesystem::path folder = tiny_model();
  const auto device = mechanism(folder, options(4, 1));
  const auto host = mechanism(folder, options(4, 1, false));
  EXPECT_FALSE(host->drawn_by_model());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Document by_device(*device, "cat the dogs", seed);
    Document by_host(*host, "cat the dogs", seed);
    ASSERT_TRUE(device->rewrite({&by_device.document, 1}));
    ASSERT_TRUE(host->rewrite({&by_host.document, 1}));
    EXPECT_EQ(by_device.bits.next(), by_host.bits.next());
  }
}

TEST_F(WordDrawers, OnTheProcessorTheHostDraws) {
  MaskedOptions how;
  how.epsilon = 4;
  EXPECT_FALSE(mechanism(tiny_model(), how, resources())->drawn_by_model());
}

TEST_F(WordDrawers, NanEndsTheRunAsOnTheHost) {
  OnePassCheckpoint broken(kWords);
  broken.floats["head.words.bias"].values[3] = std::nanf("");
  broken.write(folder_.path());
  for (const bool by_model : {true, false}) {
    const auto drawing = mechanism(folder_.path(), options(4, 1, by_model));
    Document document(*drawing, "cat the dogs", 1);
    expect_error(drawing->rewrite({&document.document, 1}), Errc::bad_format,
                 {"the model answered with a logit that is not a number"});
  }
}

TEST_F(WordDrawers, InfiniteScoresAreClampedAsOnTheHost) {
  OnePassCheckpoint steep(kWords);
  steep.floats["head.words.bias"].values[3] = INFINITY;
  steep.floats["head.words.bias"].values[4] = -INFINITY;
  steep.write(folder_.path());
  const MaskedOptions how = options(16, 0);
  const auto drawing = mechanism(folder_.path(), how);
  std::size_t dogs = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Document document(*drawing, "cat", seed);
    ASSERT_TRUE(drawing->rewrite({&document.document, 1}));
    dogs += words_of(document.document)[0] == 3;
  }
  EXPECT_GT(dogs, 60U);
}

TEST_F(WordDrawers, OutcomesMayBeSomeOutputsInAnyOrder) {
  // Evenly spaced points count the weights; the host leaves out what matters too little.
  constexpr std::uint64_t kPoints = 1'000;
  const auto model = masked(tiny_model(), drawing_resources())->at_reach(4, 0).value();
  const BalancedLaw law = BalancedLaw::make(*model->bounded_head(), 4, {7, 2, 5}, model->log_base()).value();
  const auto drawer = model->drawer(law.public_numbers()).value();
  const std::vector<Sequence> sequences = {{{70, 68}, {0, 1}, {0, 0}, {0, 0}}};
  std::vector<std::vector<std::uint32_t>> places = {std::vector<std::uint32_t>(kPoints, 1)};
  std::vector<WordDraw> draws(kPoints);
  for (std::uint64_t i = 0; i < kPoints; ++i) draws[i].point = law.total() / kPoints * i;
  std::vector<std::uint32_t> outcomes(kPoints);
  ASSERT_TRUE(drawer->draw(sequences, places, draws, outcomes));
  std::vector<float> scores(model->output_size());
  places[0].resize(1);
  ASSERT_TRUE(model->logits_at(sequences, places, scores));
  std::vector<std::uint64_t> weights;
  ASSERT_TRUE(law.weights(scores, weights));
  for (std::uint32_t k = 0; k < 3; ++k) {
    const double share = static_cast<double>(weights[k]) / static_cast<double>(law.total());
    EXPECT_NEAR(static_cast<double>(std::count(outcomes.begin(), outcomes.end(), k)), kPoints * share,
                2 + kPoints * BalancedLaw::kLeftOut);
  }
}

TEST_F(WordDrawers, RefuseWhatDoesNotFit) {
  const auto model = masked(tiny_model(), drawing_resources())->at_reach(4, 1).value();
  const std::vector<double> one(12, 1.0 / 12), low(12, 1), high(12, 50);
  std::vector<std::uint32_t> outcomes(12);
  for (std::uint32_t i = 0; i < 12; ++i) outcomes[i] = i;
  const auto drawer = model->drawer({outcomes, one, low, high, 120, 4, 1, 2, 1}).value();
  const std::vector<Sequence> sequences = {{{70, 68}, {0, 1}, {0, 0}, {0, 0}}};
  std::vector<WordDraw> draws(2);
  std::vector<std::uint32_t> words(2);
  EXPECT_TRUE(drawer->draw(sequences, std::vector<std::vector<std::uint32_t>>{{0, 1}}, draws, words));
  expect_error(drawer->draw(sequences, std::vector<std::vector<std::uint32_t>>{{0, 2}}, draws, words),
               Errc::invalid_argument, {"sequence 0"});
  expect_error(drawer->draw(sequences, std::vector<std::vector<std::uint32_t>>{{0}}, draws, words),
               Errc::invalid_argument, {"1 places"});
  draws.pop_back();
  expect_error(drawer->draw(sequences, std::vector<std::vector<std::uint32_t>>{{0, 1}}, draws, words),
               Errc::invalid_argument, {"2 places", "a draw each"});
}

}  // namespace
}  // namespace sotto::testing
