#include <functional>

#include <gmock/gmock.h>
#include <zlib.h>

#include <sotto/train.hpp>

#include "train/corpus_tokens.hpp"
#include "train_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::train;
using testing::expect_error;
using testing::TrainTest;

class TrainQuality : public TrainTest,
                     public ::testing::WithParamInterface<std::tuple<TrainingAlgorithm, VectorFinish>> {};

TEST_P(TrainQuality, WordsThatShareContextsAreNear) {
  TrainOptions o = options(topics(4000));
  std::tie(o.algorithm, o.finish) = GetParam();
  o.epochs = 10;
  const auto model = train(o);
  ASSERT_EQ(model->size(), kTopics * kTopicWords);
  for (int topic = 0; topic < kTopics; ++topic)
    for (int word = 0; word < kTopicWords; ++word) {
      const TokenId id = model->find(topic_word(topic, word));
      const auto near = nearest_words(*model, std::span(&id, 1), kTopicWords - 1);
      ASSERT_TRUE(near);
      for (const NearWord& neighbour : near->front())
        EXPECT_EQ(model->word(neighbour.id)[0], 'a' + topic)
            << model->word(id) << " has " << model->word(neighbour.id);
    }
}
INSTANTIATE_TEST_SUITE_P(All, TrainQuality,
                         ::testing::Combine(::testing::Values(TrainingAlgorithm::skipgram,
                                                              TrainingAlgorithm::cbow),
                                            ::testing::Values(VectorFinish::refined, VectorFinish::raw)));

TEST_F(TrainTest, RefinedVectorsHaveLengthOne) {
  const auto model = train(options(topics(500)));
  for (TokenId id = 0; id < model->size(); ++id) {
    double squared = 0;
    for (std::uint32_t i = 0; i < model->dimension(); ++i) {
      const double x = model->scale() * model->vectors16()[id * model->dimension() + i];
      squared += x * x;
    }
    EXPECT_NEAR(squared, 1, 1e-3);
  }
}

TEST_F(TrainTest, OneThreadIsReproducible) {
  TrainOptions o = options(topics(300));
  const std::string first = train(o)->digest();
  std::filesystem::remove(o.output);
  EXPECT_EQ(train(o)->digest(), first);
  o.seed = 1;
  EXPECT_NE(train(o)->digest(), first);
}

TEST_F(TrainTest, EveryVectorStartsAtRandom) {
  // With one epoch and a tiny learning rate, the vectors stay what they were at the start.
  TrainOptions o = options(topics(100));
  o.finish = VectorFinish::raw;
  o.epochs = 1;
  o.learning_rate = 1e-9;
  const auto model = train(o);
  for (TokenId a = 0; a < model->size(); ++a)
    for (TokenId b = 0; b < a; ++b)
      EXPECT_GT(model->squared_distance(a, b), 0) << model->word(a) << model->word(b);
}

TEST_F(TrainTest, WordsComeByCountWithoutFastTextsOwn) {
  const auto model = train(options("b b b a a a c c\nd a b\n"));
  const std::vector<std::string> expected = {"a", "b", "c", "d"};
  ASSERT_EQ(model->size(), expected.size());
  for (TokenId id = 0; id < model->size(); ++id) EXPECT_EQ(model->word(id), expected[id]);
  EXPECT_THAT(model->counts(), ::testing::ElementsAre(4, 4, 2, 1));
  EXPECT_EQ(model->find("</s>"), model->bottom());
}

TEST_F(TrainTest, SentencesAreLinesOfWords) {
  EXPECT_EQ(tokens_of(options("The RED fox, 5 hens! Don’t go; see x@y.org now.\n\nÉcole two\n")),
            "the red fox hens\ndon't go see now\nécole two\n");
}

TEST_F(TrainTest, JsonlAndCompressedInput) {
  const std::string expected = tokens_of(options("one two three. four five\nsix seven eight\n"));
  const std::string json = R"({"id": 1, "body": "one two three. four five"}
{"body": null}

{"body": "six \u0073even eight", "id": 2})";
  TrainOptions o = options({write("corpus.jsonl", json)});
  o.field = "body";
  EXPECT_EQ(tokens_of(o), expected);
  gzFile file = gzopen(path("corpus.jsonl.gz").c_str(), "wb");
  gzwrite(file, json.data(), static_cast<unsigned>(json.size()));
  gzclose(file);
  o.inputs = {path("corpus.jsonl.gz")};
  EXPECT_EQ(tokens_of(o), expected);
}

TEST_F(TrainTest, TokensDoNotDependOnThreads) {
  // More than one block of the reader.
  TrainOptions o = options({write("a.txt", topics(60'000)), write("b.txt", topics(40'000, 2))});
  std::vector<std::string> written;
  for (const unsigned threads : {1U, 3U}) {
    o.threads = threads;
    auto counts = count_tokens(o, nullptr);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->words().size(), std::uint32_t{kTopics * kTopicWords});
    const auto corpus =
        write_tokens(o, nullptr, choose_vocabulary(std::move(*counts), nullptr, {}), path("tokens"));
    ASSERT_TRUE(corpus);
    EXPECT_EQ(corpus->documents, 100'000U);
    EXPECT_EQ(corpus->tokens, 800'000U);
    written.push_back(read(path("tokens")));
  }
  EXPECT_TRUE(written[0] == written[1]);
}

TEST_F(TrainTest, RareWordsAndTheLimit) {
  TrainOptions o = options("a a a a b b b c c d\n");
  o.min_count = 2;
  EXPECT_EQ(tokens_of(o), "a a a a b b b c c\n");
  o.limit = 2;
  EXPECT_EQ(tokens_of(o), "a a a a b b b\n");
  o.vocabulary = write("words", "c\nb\nz\n");
  EXPECT_EQ(tokens_of(o), "b b b c c\n");
}

TEST_F(TrainTest, ReportAndMetadata) {
  TrainOptions o = options("a b a b. c 5 a!\nb\n");
  o.metadata = {{"licence", "CC0-1.0"}, {"corpus", "made for tests"}};
  o.bits = 8;
  o.min_count = 2;
  TrainReport report;
  const auto model = train(o, &report);
  EXPECT_FALSE(report.resumed);
  EXPECT_EQ(report.documents, 2U);
  EXPECT_EQ(report.words, 7U);
  EXPECT_EQ(report.tokens, 6U);
  EXPECT_EQ(report.vocabulary, 2U);
  EXPECT_EQ(report.bigrams + report.trigrams, 0U);
  EXPECT_GT(report.loss, 0);
  EXPECT_EQ(model->bits(), 8);
  EXPECT_FALSE(model->has_phrases());
  const std::map<std::string, std::string> metadata(model->metadata().begin(), model->metadata().end());
  EXPECT_EQ(metadata.at("licence"), "CC0-1.0");
  EXPECT_EQ(metadata.at("corpus"), "made for tests");
  EXPECT_THAT(metadata.at("training"), ::testing::HasSubstr("skipgram, 12 dimensions, 2 epochs"));
}

TEST_F(TrainTest, SubwordsShareParts) {
  TrainOptions o = options(topics(200) + "walking walked walker\n");
  o.subwords = true;
  o.finish = VectorFinish::raw;
  EXPECT_NE(train(o)->find("walking"), TokenId{kTopics * kTopicWords + 3});
}

// Stops a run in a certain phase.
TrainingProgress stop_in(TrainingPhase phase) {
  return [phase](TrainingPhase now, std::uint64_t, std::uint64_t) { return now != phase; };
}

TEST_F(TrainTest, StoppedBeforeTrainingLeavesNothing) {
  TrainOptions o = options(topics(100));
  for (const TrainingPhase phase : {TrainingPhase::counting, TrainingPhase::tokenizing}) {
    o.progress = stop_in(phase);
    expect_error(train_vectors(o), Errc::interrupted, {"interrupted"});
    EXPECT_FALSE(std::filesystem::exists(o.output));
    EXPECT_FALSE(std::filesystem::exists(tokens_file().parent_path()));
  }
}

TEST_F(TrainTest, StoppedInTrainingGoesOnFromTheTokens) {
  TrainOptions o = options(topics(2000));
  const std::string undisturbed = train(o)->digest();
  std::filesystem::remove(o.output);
  o.progress = stop_in(TrainingPhase::training);
  expect_error(train_vectors(o), Errc::interrupted, {"interrupted", tokens_file().parent_path().string()});
  EXPECT_FALSE(std::filesystem::exists(o.output));
  const auto written = std::filesystem::last_write_time(tokens_file());
  bool tokenized = false;
  o.progress = [&](TrainingPhase phase, std::uint64_t, std::uint64_t) {
    tokenized |= phase != TrainingPhase::training;
    if (std::filesystem::exists(tokens_file())) {
      EXPECT_EQ(std::filesystem::last_write_time(tokens_file()), written);
    }
    return true;
  };
  TrainReport report;
  EXPECT_EQ(train(o, &report)->digest(), undisturbed);
  EXPECT_TRUE(report.resumed);
  EXPECT_FALSE(tokenized);
  EXPECT_EQ(report.documents, 2000U);
  EXPECT_EQ(report.tokens, 16'000U);
  EXPECT_FALSE(std::filesystem::exists(tokens_file().parent_path()));
}

TEST_F(TrainTest, OtherInputsOrOptionsAreTokenizedAnew) {
  const TrainOptions base = [&] {
    TrainOptions o = options(topics(50));
    o.keep_work = true;
    return o;
  }();
  const auto resumed = [&](const std::function<void(TrainOptions&)>& change) {
    std::filesystem::remove_all(tokens_file().parent_path());
    train(base);
    TrainOptions o = base;
    change(o);
    TrainReport report;
    train(o, &report);
    return report.resumed;
  };
  EXPECT_TRUE(resumed([](TrainOptions&) {}));
  EXPECT_TRUE(resumed([](TrainOptions& o) { o.dimension = 7; }));
  EXPECT_FALSE(resumed([](TrainOptions& o) { o.min_count = 2; }));
  EXPECT_FALSE(resumed([](TrainOptions& o) { o.limit = 30; }));
  EXPECT_FALSE(resumed([&](TrainOptions& o) {
    o.vocabulary =
        write("words", topic_word(1, 1) + "\n" + topic_word(2, 1) + "\n" + topic_word(3, 1) + "\n");
  }));
  EXPECT_FALSE(resumed([&](TrainOptions& o) { o.inputs.push_back(write("more.txt", "more\n")); }));
  EXPECT_FALSE(resumed([&](TrainOptions&) { write("corpus.txt", topics(51)); }));
  write("corpus.txt", topics(50));
  EXPECT_FALSE(resumed([&](TrainOptions&) { write("out.safetensors.work/manifest.json", R"({"key": 5})"); }));
  EXPECT_FALSE(resumed([&](TrainOptions&) { write("out.safetensors.work/manifest.json", "{"); }));
  EXPECT_FALSE(resumed([&](TrainOptions&) { write("out.safetensors.work/tokens.txt", "a b c\n"); }));
}

TEST_F(TrainTest, TheWorkFolderKeepsWhatIsNotOurs) {
  TrainOptions o = options(topics(50));
  std::filesystem::create_directory(path("mine"));
  write("mine/notes", "x");
  o.work = path("mine");
  train(o);
  EXPECT_TRUE(std::filesystem::exists(path("mine/notes")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("mine")), {}), 1);
}

TEST_F(TrainTest, BadOptions) {
  const TrainOptions good = options("a b\n");
  struct Case {
    std::function<void(TrainOptions&)> spoil;
    Errc code;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {[](TrainOptions& o) { o.inputs.clear(); }, Errc::invalid_argument, {"no corpus"}},
      {[](TrainOptions& o) { o.output.clear(); }, Errc::invalid_argument, {"no output"}},
      {[&](TrainOptions& o) { o.output = o.inputs[0]; }, Errc::invalid_argument, {"corpus.txt"}},
      {[](TrainOptions& o) { o.inputs[0] = "/dev/null"; }, Errc::invalid_argument, {"/dev/null", "regular"}},
      {[&](TrainOptions& o) { o.inputs[0] = path("none"); }, Errc::not_found, {"none"}},
      {[](TrainOptions& o) { o.method = Segmentation::gst; },
       Errc::invalid_argument,
       {"gst", "phrase table"}},
      {[&](TrainOptions& o) { o.phrases = path("p"); }, Errc::invalid_argument, {"none"}},
      {[&](TrainOptions& o) { o.vocabulary = path("v"); }, Errc::not_found, {"v"}},
      {[](TrainOptions& o) { o.dimension = 0; }, Errc::invalid_argument, {"dim", "'0'", "32768"}},
      {[](TrainOptions& o) { o.dimension = 40'000; }, Errc::invalid_argument, {"dim", "'40000'"}},
      {[](TrainOptions& o) { o.epochs = 0; }, Errc::invalid_argument, {"epochs", "'0'"}},
      {[](TrainOptions& o) { o.window = 0; }, Errc::invalid_argument, {"window", "'0'"}},
      {[](TrainOptions& o) { o.negatives = 0; }, Errc::invalid_argument, {"negatives", "'0'"}},
      {[](TrainOptions& o) { o.min_count = 0; }, Errc::invalid_argument, {"min_count", "'0'"}},
      {[](TrainOptions& o) { o.learning_rate = 0; }, Errc::invalid_argument, {"learning_rate", "'0'"}},
      {[](TrainOptions& o) { o.subsampling = -1; }, Errc::invalid_argument, {"subsampling", "'-1'"}},
      {[](TrainOptions& o) { o.bits = 4; }, Errc::invalid_argument, {"bits", "'4'"}},
      {[](TrainOptions& o) {
         o.metadata = {{"scale", "1"}};
       },
       Errc::invalid_argument,
       {"scale"}},
      {[](TrainOptions& o) {
         o.metadata = {{"phrase_version", "1"}};
       },
       Errc::invalid_argument,
       {"phrase_version"}},
      {[](TrainOptions& o) { o.min_count = 5; }, Errc::bad_format, {"5 times"}},
      {[](TrainOptions& o) { o.subsampling = 1e-9; }, Errc::bad_format, {"too small", "1e-09"}},
  };
  for (const Case& c : cases) {
    TrainOptions o = good;
    c.spoil(o);
    SCOPED_TRACE(c.parts.front());
    expect_error(train_vectors(o), c.code, c.parts);
    EXPECT_FALSE(std::filesystem::exists(path("out.safetensors")));
  }
}

TEST_F(TrainTest, BrokenJsonNamesTheLine) {
  const auto o = options({write("corpus.jsonl", "{\"text\": \"a b\"}\n{\"text\": 5}\n")});
  expect_error(train_vectors(o), Errc::bad_format, {"corpus.jsonl", "line 2", "text"});
  EXPECT_FALSE(std::filesystem::exists(tokens_file().parent_path()));
}

}  // namespace
}  // namespace sotto
