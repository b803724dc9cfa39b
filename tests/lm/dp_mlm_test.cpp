// DP-MLM: masks, draws and their law.
#include "balanced_reference.hpp"
#include "dp_mlm_fixture.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::chi_squared_test;
using testing::DpMlm;
using testing::drawing;
using testing::expect_error;
using testing::FakeMaskedModel;
using testing::kFirstWord;
using testing::kSentenceWords;
using testing::mixed;
using testing::Text;

TEST_F(DpMlm, WhatMayComeOutAreTheWholeWordsOfTheVocabulary) {
  const auto m = mechanism(mixing_model(), {.epsilon = 1});
  EXPECT_EQ(m->filler().words(), kSentenceWords);
  EXPECT_EQ(m->filler().find("PARIS"), 7U);
  EXPECT_EQ(m->filler().find("##a"), std::nullopt);
  EXPECT_EQ(m->filler().find("[MASK]"), std::nullopt);
}

TEST_F(DpMlm, TheLawOfAMaskedPlaceIsTheExponentialMechanism) {
  // n = 5,000 texts per ε, α = 1e-6; the second of three words, its logits computed independently.
  constexpr std::uint64_t kRuns = 5'000;
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    // So close to each other that several words come out at every ε; some are clipped.
    const auto logit = [epsilon](std::span<const std::int32_t> ids, std::uint32_t place,
                                 std::uint32_t output) {
      return static_cast<float>(10.2 - std::min(12.0, 60 / epsilon) * mixed(ids, place, output));
    };
    const auto model =
        make_model([logit](const Sequence& sequence, std::uint32_t place, std::uint32_t output) {
          return logit(sequence.ids, place, output);
        });
    const auto m = mechanism(model, {.epsilon = epsilon});
    std::vector<std::uint64_t> counts(kSentenceWords.size());
    for (std::uint64_t i = 0; i < kRuns; ++i) {
      Text text_run(*m, "the cat sat", i);
      text_run.document.drawn = {1};
      m->prepare(text_run.document);
      ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
      ++counts[text_run.document.outputs[0].word];
    }
    const std::vector<std::int32_t> ids = {2,  13, 14, 15, 3,
                                           13, 4,  15, 3};  // [CLS] the cat sat [SEP] the [MASK] …
    ASSERT_EQ(model->asked.front().ids, ids);
    std::vector<double> law;
    double total = 0;
    for (std::uint32_t k = 0; k < kSentenceWords.size(); ++k)
      total += law.emplace_back(
          std::exp((std::clamp(logit(ids, 6, kFirstWord + k), 0.0F, 10.0F) - 10) * epsilon / 20));
    for (double& p : law) p /= total;
    SOTTO_EXPECT_PASSES(chi_squared_test(counts, law, 1e-6));
  }
}

TEST_F(DpMlm, TheLawOfAMaskedPlaceIsBalanced) {
  // n = 5,000 texts per ε and original, α = 1e-6. Scores are sharpened depending on whether the original word
  // can be output: cat can, abcd cannot.
  constexpr std::uint64_t kRuns = 5'000;
  for (const double epsilon : {1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0}) {
    const auto reach = static_cast<float>(std::min(epsilon, 125.0));
    const auto model = make_model([](const Sequence& sequence, std::uint32_t place, std::uint32_t output) {
      return 6 * mixed(sequence.ids, place, output) - 3;
    });
    model->head = BoundedHead{10, 4 / std::max(1.25F, reach), reach, 0.6F * reach, 0.5F, 1.5F};
    for (std::uint32_t i = 0; i < model->outputs; ++i)
      model->base.push_back(-1 - 0.1F * static_cast<float>(i));
    const auto m = mechanism(model, {.epsilon = epsilon, .law = LawKind::balanced});
    for (const bool known : {true, false}) {
      std::vector<std::uint64_t> counts(kSentenceWords.size());
      for (std::uint64_t i = 0; i < kRuns; ++i) {
        Text text_run(*m, known ? "the cat sat" : "the abcd sat", i);
        text_run.document.drawn = {1};
        m->prepare(text_run.document);
        ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
        ++counts[text_run.document.outputs[0].word];
      }
      std::vector<float> scores;
      std::vector<float> base;
      for (std::uint32_t k = 0; k < kSentenceWords.size(); ++k) {
        const float score = 6 * mixed(model->asked.back().ids, model->places.back(), kFirstWord + k) - 3;
        scores.push_back(score * (known ? 0.5F : 1.5F));
        base.push_back(model->base[kFirstWord + k]);
      }
      SOTTO_EXPECT_PASSES(
          chi_squared_test(counts, testing::balanced_law(scores, base, *model->head, epsilon), 1e-6));
    }
  }
}

TEST_F(DpMlm, SequentialDrawsSeeTheWordsAlreadyDrawn) {
  // Figure 1 of the paper.
  const auto model = model_for(6);
  const auto m = mechanism(model, {.epsilon = 1000, .mode = MaskedMode::sequential});
  EXPECT_EQ(outputs(*m, "the cat sat."), "boy boy boy");
  ASSERT_EQ(model->asked.size(), 3U);
  EXPECT_EQ(read(*m, model->asked[0]), "[CLS] the cat sat . [SEP] [MASK] cat sat . [SEP]");
  EXPECT_EQ(read(*m, model->asked[1]), "[CLS] the cat sat . [SEP] boy [MASK] sat . [SEP]");
  EXPECT_EQ(read(*m, model->asked[2]), "[CLS] the cat sat . [SEP] boy boy [MASK] . [SEP]");
  EXPECT_EQ(model->places, (std::vector<std::uint32_t>{6, 7, 8}));
  EXPECT_EQ(model->asked[0].segments, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
}

TEST_F(DpMlm, ParallelDrawsSeeTheOriginal) {
  const auto model = model_for(6);
  const auto m = mechanism(model, {.epsilon = 1000});
  EXPECT_EQ(outputs(*m, "the cat sat"), "boy boy boy");
  EXPECT_EQ(read(*m, model->asked[2]), "[CLS] the cat sat [SEP] the cat [MASK] [SEP]");
  EXPECT_EQ(model->batches, (std::vector<std::size_t>{3}));
}

TEST_F(DpMlm, WithoutTheOriginal) {
  const auto model = model_for(6);
  const auto m = mechanism(model, {.epsilon = 1000, .with_original = false, .mode = MaskedMode::sequential});
  (void)outputs(*m, "the cat");
  EXPECT_EQ(read(*m, model->asked[0]), "[CLS] [MASK] cat [SEP]");
  EXPECT_EQ(read(*m, model->asked[1]), "[CLS] boy [MASK] [SEP]");
}

TEST_F(DpMlm, AWordOfSeveralPiecesIsOneMask) {
  const auto model = model_for(0);
  const auto m = mechanism(model, {.epsilon = 1000});
  (void)outputs(*m, "cat abcd cat");  // a ##b ##c ##d
  EXPECT_EQ(read(*m, model->asked[1]), "[CLS] cat a ##b ##c ##d cat [SEP] cat [MASK] cat [SEP]");
  EXPECT_EQ(read(*m, model->asked[0]), "[CLS] cat a ##b ##c ##d cat [SEP] [MASK] a ##b ##c ##d cat [SEP]");
}

TEST_F(DpMlm, ATextCannotForgeTheFrame) {
  const auto model = model_for(0);
  const auto m = mechanism(model, {.epsilon = 1000});
  (void)outputs(*m, "cat [SEP] [MASK] cat");
  for (const Sequence& sequence : model->asked) {
    EXPECT_EQ(std::count(sequence.ids.begin(), sequence.ids.end(), 3), 2);
    EXPECT_EQ(std::count(sequence.ids.begin(), sequence.ids.end(), 4), 1);
  }
}

TEST_F(DpMlm, DeletionOfEverythingLeavesNothing) {
  for (const bool sequential : {false, true}) {
    const auto model = mixing_model();
    const auto m = mechanism(model, {.epsilon = 10,
                                     .mode = sequential ? MaskedMode::sequential : MaskedMode::parallel,
                                     .addition = 0,
                                     .deletion = 1});
    Text text_run(*m, "the cat sat on the mat");
    EXPECT_EQ(text_run.document.draws, 0U);
    ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
    EXPECT_EQ(spelled(*m, text_run.document), "");
    EXPECT_TRUE(model->asked.empty());
  }
}

TEST_F(DpMlm, AdditionAfterEveryWordDoublesTheText) {
  for (const bool sequential : {false, true}) {
    const auto model = model_for(6);
    const auto m = mechanism(model, {.epsilon = 1000,
                                     .mode = sequential ? MaskedMode::sequential : MaskedMode::parallel,
                                     .addition = 1,
                                     .deletion = 0});
    Text text_run(*m, "the cat sat");
    EXPECT_EQ(text_run.document.draws, 6U);
    ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
    EXPECT_EQ(spelled(*m, text_run.document), "boy boy boy boy boy boy");
    EXPECT_EQ(read(*m, model->asked[3]), sequential ? "[CLS] the cat sat [SEP] boy boy boy [MASK] sat [SEP]"
                                                    : "[CLS] the cat sat [SEP] the cat [MASK] sat [SEP]");
  }
}

TEST_F(DpMlm, EveryWordOfPlusComesFromADraw) {
  // The text's own words are outside the output set, so one that came out would have been kept.
  const auto model = mixing_model();
  const auto m =
      mechanism(model, {.epsilon = 10, .mode = MaskedMode::sequential, .addition = 0.4, .deletion = 0.4});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Text text_run(*m, "abc bcd dab cab bad dad", seed);
    const std::size_t before = model->asked.size();
    ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
    EXPECT_EQ(model->asked.size() - before, text_run.document.draws);
    std::size_t emitted = 0;
    for (const MaskedOutput& output : text_run.document.outputs)
      for (const std::uint32_t word : {output.word, output.added}) {
        if (word == MaskedOutput::kNone) continue;
        ++emitted;
        ASSERT_LT(word, kSentenceWords.size());
      }
    EXPECT_EQ(emitted, text_run.document.draws);
  }
}

TEST_F(DpMlm, CoinsHaveTheirProbabilitiesWhateverTheWords) {
  // n = 60,000 words, α = 1e-6: deleted or not, and with a word added or not.
  const auto m = mechanism(mixing_model(), {.epsilon = 10, .addition = 0.25, .deletion = 0.1});
  std::vector<std::uint64_t> counts(4);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Text text_run(*m, seed % 2 == 0 ? "the cat sat on the mat" : "boy boy boy boy boy boy", seed);
    for (const MaskedOutput& output : text_run.document.outputs)
      ++counts[(output.word == MaskedOutput::kNone ? 2U : 0U) +
               (output.added == MaskedOutput::kNone ? 1U : 0U)];
  }
  SOTTO_EXPECT_PASSES(chi_squared_test(counts, std::vector<double>{0.225, 0.675, 0.025, 0.075}, 1e-6));
  const Text one(*m, "the cat sat on the mat", 5);
  const Text other(*m, "boy abc boy dad boy boy", 5);
  EXPECT_EQ(one.document.draws, other.document.draws);
}

TEST_F(DpMlm, ALongTextIsSeenThroughAWindow) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += i % 3 == 0 ? "the " : i % 3 == 1 ? "cat " : "abcd ";
  for (const bool sequential : {false, true}) {
    const auto model = mixing_model();
    model->positions = 64;
    const auto m =
        mechanism(model, {.epsilon = 10, .mode = sequential ? MaskedMode::sequential : MaskedMode::parallel});
    (void)outputs(*m, text);
    ASSERT_EQ(model->asked.size(), 3000U);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < model->asked.size(); ++i) {
      largest = std::max(largest, model->asked[i].ids.size());
      ASSERT_EQ(model->asked[i].ids.at(model->places[i]), 4) << i;
    }
    EXPECT_LE(largest, 64U);
    EXPECT_GE(largest, 50U);
    for (const std::size_t batch : model->batches) EXPECT_LE(batch, 512U);
  }
  const auto model = mixing_model();
  const auto m = mechanism(model, {.epsilon = 10, .window = 3});
  (void)outputs(*m, "a boy the cat sat on");
  EXPECT_EQ(read(*m, model->asked[2]), "[CLS] boy the cat [SEP] boy [MASK] cat [SEP]");
  EXPECT_EQ(read(*m, model->asked[0]), "[CLS] a boy the [SEP] [MASK] boy the [SEP]");
}

TEST_F(DpMlm, SlotsAreSharedByOriginalAndText) {
  const auto model = std::make_shared<FakeMaskedModel>(
      kFirstWord + kSentenceWords.size(),
      [](const Sequence&, std::uint32_t, std::uint32_t output) { return output == 1 ? 10.0F : 0.0F; });
  model->pieces = 3;
  model->outputs = 2;
  model->positions = 4;
  auto filler =
      WordFiller::make(model, testing::small_tokenizer(kSentenceWords), std::vector<std::string>{"yes", "no"})
          .value();
  const auto m =
      MaskedMechanism::make(filler, {.epsilon = 1000, .mode = MaskedMode::sequential, .addition = 1}, {})
          .value();
  Text text_run(*m, "Cat abcd, the mat");
  ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
  EXPECT_EQ(spelled(*m, text_run.document), "no no no no no no no no");
  const Sequence& first = model->asked[0];  // a window of four slots; the first three pieces of abcd
  EXPECT_EQ(read(*m, first), "cat a ##b ##c , the [MASK] a ##b ##c , the");
  EXPECT_EQ(first.positions, (std::vector<std::int32_t>{0, 1, 1, 1, 2, 3, 0, 1, 1, 1, 2, 3}));
  EXPECT_EQ(first.segments, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(first.pieces, (std::vector<std::int32_t>{0, 0, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0}));
  EXPECT_EQ(model->places[0], 6U);
  const Sequence& added = model->asked[1];
  EXPECT_EQ(added.positions.at(model->places[1]), 0);
  EXPECT_EQ(added.ids.at(model->places[1]), 4);
}

TEST_F(DpMlm, AModelThatDrawsSeesTheSameQuestions) {
  const std::string text = "the cat sat on the mat";
  for (const MaskedMode mode : {MaskedMode::parallel, MaskedMode::sequential}) {
    const auto scoring = drawing(mixing_model());
    const auto drawn = drawing(mixing_model());
    const MaskedOptions options{.epsilon = 20, .mode = mode, .law = LawKind::balanced};
    MaskedOptions by_host = options;
    by_host.drawn_by_model = false;
    const auto host = mechanism(scoring, by_host);
    const auto device = mechanism(drawn, options);
    EXPECT_FALSE(host->drawn_by_model());
    ASSERT_TRUE(device->drawn_by_model());
    outputs(*host, text);
    outputs(*device, text);
    EXPECT_TRUE(scoring->made.empty());
    EXPECT_EQ(drawn->made.size(), 6U);
    EXPECT_EQ(drawn->places, scoring->places);
    ASSERT_EQ(drawn->asked.size(), scoring->asked.size());
    EXPECT_EQ(drawn->asked[0].ids, scoring->asked[0].ids);
    EXPECT_EQ(device->guarantee().epsilon, host->guarantee().epsilon);
    EXPECT_EQ(device->guarantee().rho, host->guarantee().rho);
    EXPECT_EQ(device->guarantee().statement, host->guarantee().statement);
  }
}

TEST_F(DpMlm, AModelDrawsByTheBalancedLawAlone) {
  const auto model = drawing(mixing_model());
  EXPECT_FALSE(mechanism(model, {.epsilon = 20, .law = LawKind::bounded})->drawn_by_model());
  model->draws = false;
  EXPECT_FALSE(
      mechanism(model, {.epsilon = 20, .law = LawKind::balanced, .drawn_by_model = true})->drawn_by_model());
}

TEST_F(DpMlm, DocumentsDrawTheSameAloneAndTogether) {
  for (const bool sequential : {false, true}) {
    const auto m =
        mechanism(mixing_model(), {.epsilon = 5,
                                   .mode = sequential ? MaskedMode::sequential : MaskedMode::parallel,
                                   .addition = 0.3,
                                   .deletion = 0.2});
    std::vector<std::unique_ptr<Text>> runs;
    std::vector<MaskedDocument> documents;
    std::vector<std::string> alone;
    for (std::uint64_t i = 0; i < 30; ++i) {
      std::string text = "the";
      for (std::uint64_t k = 0; k < i; ++k) text += k % 2 == 0 ? " cat" : " boy,";
      alone.push_back(outputs(*m, text, i));
      runs.push_back(std::make_unique<Text>(*m, text, i));
      documents.push_back(runs.back()->document);
    }
    ASSERT_TRUE(m->rewrite(documents));
    for (std::size_t i = 0; i < documents.size(); ++i) EXPECT_EQ(spelled(*m, documents[i]), alone[i]) << i;
  }
}

TEST_F(DpMlm, EachBatchIsReportedAndCanBeTheLast) {
  for (const bool sequential : {false, true}) {
    const auto m = mechanism(
        mixing_model(), {.epsilon = 5, .mode = sequential ? MaskedMode::sequential : MaskedMode::parallel});
    std::string text = "the";
    for (std::size_t i = 1; i < 3 * m->good_batch(); ++i) text += " cat";
    Text whole(*m, text);
    std::uint64_t draws = 0;
    std::uint64_t calls = 0;
    ASSERT_TRUE(m->rewrite({&whole.document, 1}, [&](std::uint64_t made) {
      draws += made;
      ++calls;
      return true;
    }));
    EXPECT_EQ(draws, whole.document.draws);
    EXPECT_GE(calls, 3U);
    EXPECT_EQ(spelled(*m, whole.document), outputs(*m, text)) << "who listens changes nothing";
    Text stopped(*m, text);
    calls = 0;
    expect_error(m->rewrite({&stopped.document, 1}, [&](std::uint64_t) { return ++calls < 2; }),
                 Errc::interrupted, {"interrupted"});
    EXPECT_EQ(calls, 2U) << "nothing is computed after that";
  }
}

TEST_F(DpMlm, Errors) {
  const auto free = mixing_model();
  free->given_bounds = std::nullopt;
  auto filler = WordFiller::make(free, testing::small_tokenizer(kSentenceWords), {}).value();
  expect_error(MaskedMechanism::make(filler, {.epsilon = 1}, {}), Errc::invalid_argument, {"'lm calibrate'"});
  EXPECT_TRUE(MaskedMechanism::make(filler, {.epsilon = 1}, LogitBounds{0, 5, false}));
  const auto broken = make_model(
      [](const Sequence&, std::uint32_t, std::uint32_t) { return std::numeric_limits<float>::quiet_NaN(); });
  const auto m = mechanism(broken, {.epsilon = 1});
  Text text_run(*m, "the cat");
  expect_error(m->rewrite({&text_run.document, 1}), Errc::bad_format, {"not a number"});
  expect_error(WordFiller::make(mixing_model(), testing::small_tokenizer(kSentenceWords), {"one"}),
               Errc::bad_format, {"1 words", "21 outputs"});
  expect_error(WordFiller::make(mixing_model(), testing::small_tokenizer({}), {}), Errc::bad_format,
               {"no token that is a whole word"});
}

TEST_F(DpMlm, TheGuaranteeIsPureWithABoundedRange) {
  const Guarantee guarantee = mechanism(mixing_model(), {.epsilon = 12})->guarantee();
  EXPECT_EQ(guarantee.kind, GuaranteeKind::analytic);
  EXPECT_TRUE(guarantee.unit.is_pure());
  EXPECT_EQ(guarantee.epsilon, 12);
  EXPECT_EQ(guarantee.rho, 12);  // ε²/8 = 18 exceeds what pure ε alone gives
  EXPECT_EQ(mechanism(mixing_model(), {.epsilon = 4})->guarantee().rho, 2);
}

TEST_F(DpMlm, BalancedNeedsAHeadMadeForIt) {
  auto filler = WordFiller::make(mixing_model(), testing::small_tokenizer(kSentenceWords), {}).value();
  expect_error(MaskedMechanism::make(filler, {.epsilon = 1, .law = LawKind::balanced}, {}),
               Errc::invalid_argument, "parameters.law", {"'balanced'", "give bounded"});
  const auto model = mixing_model();
  model->head = BoundedHead{10, 4, 1, 0.5F, 1, 1};
  filler = WordFiller::make(model, testing::small_tokenizer(kSentenceWords), {}, {.law = LawKind::balanced})
               .value();
  EXPECT_EQ(MaskedMechanism::make(filler, {.epsilon = 1}, {}).value()->law_kind(), LawKind::balanced);
  const auto bounded = MaskedMechanism::make(filler, {.epsilon = 1, .law = LawKind::bounded}, {}).value();
  EXPECT_EQ(bounded->law_kind(), LawKind::bounded);
}

}  // namespace
}  // namespace sotto
