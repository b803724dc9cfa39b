// Training with phrases: which are formed, and that model and phrases agree.
#include <set>

#include <gmock/gmock.h>

#include "train_fixture.hpp"

namespace sotto {
namespace {

using testing::TrainTest;

class TrainPhrasesTest : public TrainTest {
 protected:
  TrainOptions with_phrases(std::string_view corpus, const std::vector<ScoredPhrase>& phrases,
                            Segmentation method) {
    TrainOptions o = options(corpus);
    const auto written = write_phrase_table(path("phrases"), phrases, {});
    EXPECT_TRUE(written);
    o.phrases = path("phrases");
    o.method = method;
    return o;
  }

  /// The phrases among the model's words must be those of the table inside it, and occur in the given table.
  static std::set<std::string> checked_phrases(const Model& model, const std::filesystem::path& given) {
    const auto inside = PhraseTable::open(model.path());
    const auto whole = PhraseTable::open(given);
    EXPECT_TRUE(inside && whole && (*inside)->verify());
    std::set<std::string> words, phrases;
    for (TokenId id = 0; id < model.size(); ++id)
      if (model.word(id).find('_') != std::string_view::npos) words.emplace(model.word(id));
    for (PhraseId id = 0; id < (*inside)->size(); ++id) {
      const std::string phrase = (*inside)->phrase(id);
      phrases.insert(phrase);
      const PhraseId origin = (*whole)->find(phrase);
      EXPECT_NE(origin, kNoPhrase);
      EXPECT_EQ((*inside)->pmi(id), (*whole)->pmi(origin));
      EXPECT_EQ((*inside)->count(id), (*whole)->count(origin));
    }
    EXPECT_EQ(words, phrases);
    EXPECT_EQ((*inside)->digest(), model.digest());
    return phrases;
  }
};

const std::vector<ScoredPhrase> kPhrases = {{"new_york", 5, 10},
                                            {"new_york_city", 9, 4},
                                            {"york_city", 6, 5},
                                            {"city_hall", 7, 3},
                                            {"never_seen", 8, 2}};

TEST_F(TrainPhrasesTest, GstAndMst) {
  const std::string corpus = "New York city hall is in New York. New, York\nnew york city\nThe city hall\n";
  TrainOptions o = with_phrases(corpus, kPhrases, Segmentation::gst);
  EXPECT_EQ(tokens_of(o), "new_york_city hall is in new_york\nnew york\nnew_york_city\nthe city_hall\n");
  TrainReport report;
  const auto model = train(o, &report);
  EXPECT_TRUE(model->has_phrases());
  EXPECT_EQ(checked_phrases(*model, path("phrases")),
            (std::set<std::string>{"city_hall", "new_york", "new_york_city"}));
  EXPECT_EQ(report.bigrams, 2U);
  EXPECT_EQ(report.trigrams, 1U);
  EXPECT_EQ(counts_of(*model), (std::map<std::string, std::uint64_t>{{"new_york_city", 2},
                                                                     {"new_york", 1},
                                                                     {"city_hall", 1},
                                                                     {"hall", 1},
                                                                     {"in", 1},
                                                                     {"is", 1},
                                                                     {"new", 1},
                                                                     {"the", 1},
                                                                     {"york", 1}}));
  std::vector<ScoredPhrase> other = kPhrases;
  other[1].pmi = 6.5;  // now "city hall" comes first
  o = with_phrases(corpus, other, Segmentation::mst);
  EXPECT_EQ(tokens_of(o), "new_york city_hall is in new_york\nnew york\nnew_york_city\nthe city_hall\n");
}

TEST_F(TrainPhrasesTest, RarePhrasesAreTakenApart) {
  // "york city" is too rare; its words then count by themselves and are frequent enough.
  TrainOptions o =
      with_phrases("york city\nyork\ncity\nnew york new york new york\n", kPhrases, Segmentation::gst);
  o.min_count = 2;
  EXPECT_EQ(tokens_of(o), "york city\nyork\ncity\nnew_york new_york new_york\n");
  EXPECT_EQ(checked_phrases(*train(o), path("phrases")), std::set<std::string>{"new_york"});
}

TEST_F(TrainPhrasesTest, ALimitCutsPhrasesToo) {
  TrainOptions o =
      with_phrases("new york new york new york x x x x city hall city hall\n", kPhrases, Segmentation::gst);
  o.limit = 2;
  const auto model = train(o);
  EXPECT_EQ(counts_of(*model), (std::map<std::string, std::uint64_t>{{"x", 4}, {"new_york", 3}}));
  EXPECT_EQ(checked_phrases(*model, path("phrases")), std::set<std::string>{"new_york"});
}

TEST_F(TrainPhrasesTest, PhrasesAreMadeOfTheVocabularyAlone) {
  TrainOptions o = with_phrases("new york city hall\nnew york city\n", kPhrases, Segmentation::gst);
  o.vocabulary = write("words", "new\t3\nyork\t2\nhall\t1\n");
  EXPECT_EQ(tokens_of(o), "new_york hall\nnew_york\n");
}

TEST_F(TrainPhrasesTest, AModelWithPhrasesServesAsTable) {
  TrainOptions o = with_phrases("new york city hall is\nnew york\n", kPhrases, Segmentation::gst);
  o.output = path("first.safetensors");
  train(o);
  o.phrases = path("first.safetensors");
  o.output = path("second.safetensors");
  EXPECT_EQ(checked_phrases(*train(o), path("first.safetensors")),
            (std::set<std::string>{"new_york", "new_york_city"}));
}

TEST_F(TrainPhrasesTest, PhrasesOfOneTopicAreNear) {
  // Each topic's first two words always occur together.
  std::string corpus = topics(4000);
  for (int topic = 0; topic < kTopics; ++topic)
    for (std::size_t at = 0; (at = corpus.find(topic_word(topic, 0), at)) != std::string::npos; at += 7)
      corpus.replace(at, 3, topic_word(topic, 0) + " " + topic_word(topic, 1));
  std::vector<ScoredPhrase> phrases;
  for (int topic = 0; topic < kTopics; ++topic)
    phrases.push_back({topic_word(topic, 0) + "_" + topic_word(topic, 1), 3, 9});
  TrainOptions o = with_phrases(corpus, phrases, Segmentation::optimal);
  o.epochs = 10;
  const auto model = train(o);
  for (const ScoredPhrase& phrase : phrases) {
    const TokenId id = model->find(phrase.text);
    ASSERT_NE(id, model->bottom());
    const auto near = nearest_words(*model, std::span(&id, 1), 3);
    ASSERT_TRUE(near);
    for (const NearWord& neighbour : near->front()) EXPECT_EQ(model->word(neighbour.id)[0], phrase.text[0]);
  }
}

}  // namespace
}  // namespace sotto
