#include "evaluate/metrics/bleu.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "evaluate/reference.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;
using testing::reference;

const std::map<std::string, BleuSmoothing> kSmoothings = {{"none", BleuSmoothing::none},
                                                          {"floor", BleuSmoothing::floor},
                                                          {"add_one", BleuSmoothing::add_one},
                                                          {"exponential", BleuSmoothing::exponential}};

struct Pairs {
  std::vector<Tokens> candidates;
  std::vector<Tokens> references;
};

Pairs all_pairs() {
  Pairs pairs;
  for (const auto& pair : reference()["bleu"]["pairs"]) {
    pairs.candidates.push_back(pair["candidate"].get<Tokens>());
    pairs.references.push_back(pair["reference"].get<Tokens>());
  }
  return pairs;
}

/// nltk replaces zero matches by the smallest double, so where the score is 0 it gives about 1e-77.
void expect_sentences(const std::string& library, BleuShortText short_text) {
  const Pairs pairs = all_pairs();
  for (const auto& [name, smoothing] : kSmoothings) {
    const nlohmann::json& expected = reference()["bleu"][library][name];
    ASSERT_EQ(expected.size(), pairs.candidates.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(sentence_bleu(pairs.candidates[i], pairs.references[i], {4, smoothing, short_text})->score,
                  expected[i].get<double>(), 1e-12)
          << library << ' ' << name << ' ' << i;
  }
}

TEST(Bleu, SentencesEqualSacrebleu) {
  expect_sentences("sacrebleu_sentence", BleuShortText::leave_out);
}

TEST(Bleu, SentencesEqualNltk) {
  expect_sentences("nltk_sentence", BleuShortText::one_miss);
}

TEST(Bleu, CorporaEqualSacrebleu) {
  const Pairs pairs = all_pairs();
  const nlohmann::json& corpora = reference()["bleu"]["corpora"];
  for (const auto& [name, smoothing] : kSmoothings) {
    for (std::size_t i = 0; i < corpora.size(); ++i) {
      Pairs chosen;
      for (const std::size_t j : corpora[i].get<std::vector<std::size_t>>()) {
        chosen.candidates.push_back(pairs.candidates[j]);
        chosen.references.push_back(pairs.references[j]);
      }
      const BleuOptions options{4, smoothing, BleuShortText::zero};
      EXPECT_NEAR(corpus_bleu(chosen.candidates, chosen.references, options)->score,
                  reference()["bleu"]["sacrebleu_corpus"][name][i].get<double>(), 1e-12)
          << name << ' ' << i;
    }
  }
}

// Papineni et al.: "the the the …" has a clipped unigram precision of 2/7.
TEST(Bleu, MatchesAreClipped) {
  const Tokens candidate(7, "the");
  const Tokens reference = {"the", "cat", "is", "on", "the", "mat"};
  const BleuScore score = sentence_bleu(candidate, reference, {1, BleuSmoothing::none, {}}).value();
  EXPECT_DOUBLE_EQ(score.score, 2.0 / 7);
  EXPECT_EQ(score.candidate_length, 7U);
  EXPECT_EQ(score.reference_length, 6U);
}

TEST(Bleu, ShortCandidatesArePenalized) {
  const Tokens candidate = {"a", "b", "c", "d"};
  const Tokens reference = {"a", "b", "c", "d", "e", "f"};
  const BleuScore score = sentence_bleu(candidate, reference).value();
  EXPECT_DOUBLE_EQ(score.brevity_penalty, std::exp(-0.5));
  EXPECT_DOUBLE_EQ(score.score, std::exp(-0.5));
}

TEST(Bleu, EmptyTextsHaveAScore) {
  EXPECT_EQ(sentence_bleu({}, {})->score, 0);
  EXPECT_EQ(sentence_bleu({"a"}, {})->score, 0);
  EXPECT_EQ(corpus_bleu({}, {})->score, 0);
}

TEST(Bleu, RefusesWhatItCannotCompare) {
  const std::vector<Tokens> one(1);
  const std::vector<Tokens> two(2);
  expect_error(corpus_bleu(one, two), Errc::invalid_argument, {"1 candidates", "2 references"});
  expect_error(sentence_bleu({}, {}, {5, BleuSmoothing::none, {}}), Errc::invalid_argument,
               {"'5'", "1 to 4"});
}

}  // namespace
}  // namespace sotto
