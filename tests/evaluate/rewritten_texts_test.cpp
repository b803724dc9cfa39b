// The texts of an experiment under budgets by name.
#include "evaluate/experiment/rewritten_texts.hpp"

#include <gtest/gtest.h>

#include "support/folder_test.hpp"
#include "support/phrase_model.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;

class RewrittenTextsTest : public testing::FolderTest {
 protected:
  RewrittenTextsTest() {
    testing::write_phrase_model(path("phrases.safetensors"), testing::phrase_model_parts(),
                                testing::few_phrases());
    write(
        "notes.csv",
        "text\nI think the soup was cold therefore I am in new york city\nwe think the new soup was cold\n");
    DatasetEntry notes;
    notes.text = notes.privatize = {"text"};
    notes.splits = {{"test", "notes.csv", Format::csv, true, {}, TextPreparation::none, "", 0}};
    catalog_.datasets["notes"] = notes;
    run_.datasets = {{"Notes", "notes", {}, {}}};
    ModelSpec model;
    model.label = "Phrases";
    model.file = path("phrases.safetensors").string();
    run_.models = {model};
    run_.texts.emplace();
    run_.texts->metrics = {"pp"};
  }

  /// What the mechanism makes of the texts; the name of the budget decides the noise only through what it
  /// determines.
  std::vector<std::string> rewritten(const std::string& budget, const std::string& policy,
                                     Segmentation collocations) {
    ExperimentMechanism mechanism;
    mechanism.label = "CMP";
    mechanism.mechanism = "cmp";
    mechanism.policy = policy;
    mechanism.budget = budget;
    mechanism.collocations = collocations;
    run_.mechanisms = {mechanism};
    const ExperimentInputs inputs =
        ExperimentInputs::prepare(run_, catalog_, {folder_.path(), {}, 1, {}}).value();
    const CacheKeys cache_keys(inputs);
    const RewrittenTexts texts(run_, inputs, cache_keys, folder_.path());
    const TextRequest request{"Notes", "test", "Phrases", "CMP", 0.05, 0};
    const auto made = texts.make(request, {});
    EXPECT_TRUE(made) << made.error().message;
    return texts.load(request).value().front();
  }

  DataCatalog catalog_;
  ExperimentSpec run_;
};

TEST_F(RewrittenTextsTest, ABudgetByNameIsWhatItMeans) {
  const auto s1 = rewritten("S1", "strict", Segmentation::none);
  EXPECT_EQ(s1, rewritten("even", "strict stopwords=keep", Segmentation::none));
  const auto s2 = rewritten("S2", "paper", Segmentation::gst);
  EXPECT_EQ(s2, rewritten("words", "paper stopwords=privatize", Segmentation::gst));
  const auto s3 = rewritten("S3", "paper", Segmentation::gst);
  EXPECT_EQ(s3, rewritten("even", "paper stopwords=privatize", Segmentation::gst));
  const auto s4 = rewritten("S4", "paper", Segmentation::mst);
  EXPECT_EQ(s4, rewritten("even", "paper stopwords=privatize", Segmentation::mst));
  EXPECT_NE(s1, rewritten("even", "strict", Segmentation::none)) << "S1 keeps stopwords";
  EXPECT_NE(s2, s3);
  EXPECT_NE(s3, s4);
}

TEST_F(RewrittenTextsTest, TheRunFileDecidesTheCollocations) {
  EXPECT_EQ(rewritten("S3", "paper", Segmentation::none),
            rewritten("even", "paper stopwords=privatize", Segmentation::none));
}

TEST_F(RewrittenTextsTest, TheBudgetTokenIsTheEpsilonOfEachToken) {
  EXPECT_EQ(rewritten("token", "paper", Segmentation::none), rewritten("", "paper", Segmentation::none));
}

}  // namespace
}  // namespace sotto
