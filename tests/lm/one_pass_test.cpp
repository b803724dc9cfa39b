// DP-MLM in one pass over the text.
#include "dp_mlm_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using testing::DpMlm;
using testing::drawing;
using testing::expect_error;
using testing::FakeMaskedModel;
using testing::kSentenceWords;
using testing::Text;

class OnePass : public DpMlm {
 protected:
  /// Reads words as pieces at one position; the score depends on the sequence and the place.
  static std::shared_ptr<FakeMaskedModel> slots_model(std::uint32_t positions) {
    const auto model = mixing_model();
    model->pieces = 3;
    model->outputs = 2;
    model->positions = positions;
    return model;
  }
  static std::shared_ptr<const WordFiller> filler_of(std::shared_ptr<const MaskedModel> model,
                                                     bool declared) {
    return WordFiller::make(std::move(model), testing::small_tokenizer(kSentenceWords),
                            std::vector<std::string>{"yes", "no"},
                            declared ? FillerSettings{.modes = {MaskedMode::one_pass}} : FillerSettings{})
        .value();
  }
};

TEST_F(OnePass, ReadsTheOriginalOnceWithoutAMask) {
  const auto model = slots_model(8);
  const auto m =
      MaskedMechanism::make(filler_of(model, true), {.epsilon = 10, .mode = MaskedMode::one_pass}, {})
          .value();
  Text text_run(*m, "Cat abcd, the mat");
  ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
  // One sequence; the model that answers one place at a time is asked about it four times.
  ASSERT_EQ(model->asked.size(), 4U);
  EXPECT_EQ(model->batches, (std::vector<std::size_t>{4}));
  for (const Sequence& sequence : model->asked) {
    EXPECT_EQ(read(*m, sequence), "cat a ##b ##c , the mat");
    EXPECT_EQ(sequence.positions, (std::vector<std::int32_t>{0, 1, 1, 1, 2, 3, 4}));
    EXPECT_EQ(sequence.segments, std::vector<std::int32_t>(7, 0));
  }
  EXPECT_EQ(model->places, (std::vector<std::uint32_t>{0, 1, 5, 6}));
}

TEST_F(OnePass, AddedWordsHaveAMaskEachAtTheEnd) {
  const auto model = slots_model(8);
  const auto m = MaskedMechanism::make(filler_of(model, true), {.epsilon = 10, .addition = 1}, {}).value();
  Text text_run(*m, "Cat abcd, the mat");
  text_run.document.outputs[0].word = MaskedOutput::kNone;   // cat is deleted, and a word added after it
  text_run.document.outputs[2].added = MaskedOutput::kNone;  // none after the
  ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
  ASSERT_EQ(model->asked.size(), 6U);
  for (const Sequence& sequence : model->asked) {
    EXPECT_EQ(read(*m, sequence), "cat a ##b ##c , the mat [MASK] [MASK] [MASK]");
    EXPECT_EQ(sequence.positions, (std::vector<std::int32_t>{0, 1, 1, 1, 2, 3, 4, 0, 1, 4}));
    EXPECT_EQ(sequence.segments, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(sequence.pieces, (std::vector<std::int32_t>{0, 0, 1, 2, 0, 0, 0, 0, 0, 0}));
  }
  EXPECT_EQ(model->places, (std::vector<std::uint32_t>{7, 1, 8, 5, 6, 9}));
}

// A batch may end inside a window, which is then read again with the same masks.
TEST_F(OnePass, MasksOfAWindowDependOnItsCoinsAlone) {
  const auto model = slots_model(8);
  const auto m = MaskedMechanism::make(filler_of(model, true), {.epsilon = 10, .addition = 1}, {}).value();
  std::string text;
  for (std::size_t i = 0; i < m->good_batch(); ++i) text += i % 3 == 0 ? "the " : "cat ";
  Text text_run(*m, text);
  ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
  ASSERT_EQ(model->asked.size(), 2 * m->good_batch());
  EXPECT_GT(model->batches.size(), 1U);
  for (std::size_t i = 0; i < model->asked.size(); ++i) {
    EXPECT_EQ(model->asked[i].ids.size(), 16U) << i;
    EXPECT_EQ(model->asked[i].segments.at(model->places[i]), i % 2) << "a word, then the one added after it";
  }
}

TEST_F(OnePass, AnAddedWordHasNoOriginal) {
  // At ε = 1000 the score decides: sharpened by −1, the worst word is the best.
  const auto model = make_model(
      [](const Sequence&, std::uint32_t, std::uint32_t output) { return output == 0 ? 3.0F : 0.0F; });
  model->pieces = 3;
  model->outputs = 2;
  model->head = BoundedHead{10, 0.1F, 125, 40, 1, -1};
  const auto words =
      WordFiller::make(model, testing::small_tokenizer(kSentenceWords), std::vector<std::string>{"cat", "no"},
                       {.modes = {MaskedMode::one_pass}})
          .value();
  const auto m =
      MaskedMechanism::make(words, {.epsilon = 1000, .addition = 1, .law = LawKind::balanced}, {}).value();
  EXPECT_EQ(outputs(*m, "cat cat the"), "cat no cat no no no");
}

TEST_F(OnePass, LongTextsAreReadInWindowsThatOverlap) {
  const auto model = slots_model(8);
  const auto m =
      MaskedMechanism::make(filler_of(model, true), {.epsilon = 10, .mode = MaskedMode::one_pass}, {})
          .value();
  std::string text;
  for (int i = 0; i < 30; ++i) text += "the ";
  Text text_run(*m, text);
  ASSERT_TRUE(m->rewrite({&text_run.document, 1}));
  ASSERT_EQ(model->asked.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(model->asked[i].ids.size(), 8U);
    // An eighth of the window to both sides, except at the ends of the text.
    EXPECT_GE(model->places[i], i < 1 ? 0U : 1U) << i;
    EXPECT_LT(model->places[i], i < 29 ? 7U : 8U) << i;
  }
}

TEST_F(OnePass, WeightsAndDocumentsAreTheSameAloneAndTogether) {
  const auto m =
      MaskedMechanism::make(filler_of(slots_model(6), true),
                            {.epsilon = 5, .mode = MaskedMode::one_pass, .deletion = 0.2, .threads = 3}, {})
          .value();
  const std::vector<std::string> texts = {"the cat sat on the mat a boy the cat", "a boy", "",
                                          "Paris abcd , the cat"};
  std::vector<std::unique_ptr<Text>> runs;
  std::vector<MaskedDocument> together;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    runs.push_back(std::make_unique<Text>(*m, texts[i], i));
    together.push_back(runs.back()->document);
  }
  ASSERT_TRUE(m->rewrite(together));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Text alone(*m, texts[i], i);
    ASSERT_TRUE(m->rewrite({&alone.document, 1}));
    EXPECT_EQ(spelled(*m, alone.document), spelled(*m, together[i])) << texts[i];
  }
  std::vector<std::uint64_t> weights;
  EXPECT_TRUE(m->weights_of_token(runs[0]->text, runs[0]->tokens, 7, weights));
  EXPECT_EQ(weights.size(), 2U);
}

TEST_F(OnePass, AModelThatDrawsIsToldTheNumbersOfEachDocument) {
  const auto model = drawing(slots_model(6));
  const auto m =
      MaskedMechanism::make(
          filler_of(model, true),
          {.epsilon = 20, .mode = MaskedMode::one_pass, .addition = 0.5, .law = LawKind::balanced}, {})
          .value();
  ASSERT_TRUE(m->drawn_by_model());
  const std::vector<std::string> texts = {"the cat yes on the mat", "", "NO boy", "a yes , no no"};
  std::vector<std::unique_ptr<Text>> runs;
  std::vector<MaskedDocument> together;
  std::vector<WordDraw> expected;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    runs.push_back(std::make_unique<Text>(*m, texts[i], i));
    together.push_back(runs.back()->document);
    // After the coins the stream has one number per draw, in the order of places; 2^61 divides its range.
    Text copy(*m, texts[i], i);
    for (std::size_t k = 0; k < copy.document.outputs.size(); ++k) {
      const std::string original = texts[i].substr(copy.tokens[copy.document.drawn[k]].begin, 3);
      const auto own = m->filler().find(original.substr(0, original.find(' ')));
      expected.push_back({copy.bits.next() >> 3, own ? *own : WordDraw::kNone, own ? 3.0F : 1.5F});
      // An added word has no original.
      if (copy.document.outputs[k].added != MaskedOutput::kNone)
        expected.push_back({copy.bits.next() >> 3, WordDraw::kNone, 1.5F});
    }
  }
  const auto same = [](const WordDraw& a, const WordDraw& b) {
    return a.point == b.point && a.own == b.own && a.factor == b.factor;
  };
  ASSERT_TRUE(m->rewrite(together));
  ASSERT_GT(expected.size(), 11U);
  ASSERT_EQ(model->made.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), model->made.begin(), same));
  // Alone, each document has the same numbers, so the same words.
  model->made.clear();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Text alone(*m, texts[i], i);
    ASSERT_TRUE(m->rewrite({&alone.document, 1}));
    EXPECT_EQ(spelled(*m, alone.document), spelled(*m, together[i])) << texts[i];
  }
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), model->made.begin(), same));
}

TEST_F(OnePass, IsForModelsThatDeclareIt) {
  const MaskedOptions options{.epsilon = 10, .mode = MaskedMode::one_pass};
  expect_error(MaskedMechanism::make(filler_of(slots_model(8), false), options, {}), Errc::invalid_argument,
               "parameters.mode", {"'one-pass' is not allowed; give parallel or sequential"});
  MaskedOptions without = options;
  without.with_original = false;
  expect_error(MaskedMechanism::make(filler_of(slots_model(8), true), without, {}), Errc::invalid_argument,
               "parameters.context", {"one-pass"});
}

}  // namespace
}  // namespace sotto
