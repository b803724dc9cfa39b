// Choosing a mechanism and an ε: the attacker against brute force, the search, and what may influence the
// choice.
#include <cmath>
#include <iostream>

#include <gmock/gmock.h>

#include <sotto/choose.hpp>

#include "evaluate/choose/epsilon_scan.hpp"
#include "evaluate/choose/text_attack.hpp"
#include "evaluate/choose/text_sample.hpp"
#include "pipeline/sample_documents.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;
using ::testing::HasSubstr;

/// A mechanism that hides its rows.
class HiddenRows final : public Mechanism {
 public:
  explicit HiddenRows(const Mechanism& inner) : inner_(inner) {}
  std::unique_ptr<PendingTokens> make_pending() const override { return inner_.make_pending(); }
  Guarantee guarantee() const override { return inner_.guarantee(); }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  const Mechanism& inner_;
};

class ChooseTest : public FolderTest {
 protected:
  std::shared_ptr<const Model> model_ = write_tiny_model(path("tiny.safetensors"));

  std::unique_ptr<Mechanism> santext(double epsilon) const {
    return std::move(*make_mechanism("santext", model_, epsilon, {}));
  }

  std::vector<double> frequencies() const { return {model_->counts().begin(), model_->counts().end()}; }

  ChooseOptions options(const std::string& text, const std::vector<std::string>& names = {"santext"}) const {
    ChooseOptions options;
    options.files.inputs = {write("private.txt", text)};
    for (const std::string& name : names)
      options.mechanisms.push_back({.name = name, .model = path("tiny.safetensors").string()});
    options.public_text = write("public.txt", "The dog and a cat ate the pizza in Rome\nA soup, the pasta\n");
    options.resources.threads = 1;
    return options;
  }
};

TEST_F(ChooseTest, CountsWordsOfTheVocabulary) {
  const KnownWords words =
      KnownWords::of(*model_, std::vector<std::string>{"The dog, the Zebra 42!", "a@b.org dog"});
  EXPECT_EQ(words.known, 4U);
  EXPECT_EQ(words.unknown, 2U);  // numbers and punctuation are no words
  EXPECT_EQ(words.counts.at(model_->find("dog")), 2U);
}

TEST_F(ChooseTest, ExactFiguresAgreeWithTheDefinition) {
  const std::vector<std::string> text = {"the the dog paris", "soup dog zebra"};
  TextAttack attack(model_, KnownWords::of(*model_, text), frequencies());
  EXPECT_EQ(attack.candidates(), 12U);
  EXPECT_DOUBLE_EQ(attack.blind(), 2.0 / 6);  // "the" is the most frequent word
  const std::vector<std::string> known = {"the", "the", "dog", "paris", "soup", "dog"};
  for (const double epsilon : {0.1, 2.0, 6.0, 20.0}) {
    const auto mechanism = santext(epsilon);
    double recovered = 0;
    double changed = 0;
    double content = 0;  // all but "the"
    for (const std::string& word : known) {
      const TokenId secret = model_->find(word);
      changed += 1 - mechanism->row(secret)[secret];
      for (TokenId y = 0; y < 12; ++y) {
        TokenId guess = 0;
        for (TokenId w = 0; w < 12; ++w)
          if (frequencies()[w] * mechanism->row(w)[y] > frequencies()[guess] * mechanism->row(guess)[y])
            guess = w;
        if (guess != secret) continue;
        recovered += mechanism->row(secret)[y];
        content += word == "the" ? 0 : mechanism->row(secret)[y];
      }
    }
    const auto figures = attack.measure(*mechanism, epsilon, {1, 1, {}});
    ASSERT_TRUE(figures);
    EXPECT_NEAR(figures->recovered, recovered / 6, 1e-12) << epsilon;
    EXPECT_NEAR(figures->recovered_content, content / 4, 1e-12) << epsilon;
    EXPECT_NEAR(figures->changed, changed / 6, 1e-12) << epsilon;
  }
}

// n = 4000 draws; by Hoeffding a share deviates by more than sqrt(ln(2/1e-7)/(2n)) = 0.046 with probability
// below 1e-7, and the two shares below together with probability below 1e-6. The learned attacker may do
// worse than the best one, so it has no lower bound but that of guessing blindly.
TEST_F(ChooseTest, DrawnFiguresAgreeWithExactOnes) {
  constexpr double kTolerance = 0.046;
  KnownWords text;  // with the frequencies of the prior, so that no attacker does better than the exact one
  for (TokenId word = 0; word < 12; ++word) text.known += text.counts[word] = model_->counts()[word];
  TextAttack attack(model_, text, frequencies());
  for (const double epsilon : {1.0, 12.0, 200.0}) {
    const auto mechanism = santext(epsilon);
    const auto exact = attack.measure(*mechanism, epsilon, {1, 1, {}});
    const auto drawn = attack.measure(HiddenRows(*mechanism), epsilon, {1, 1, {}});
    ASSERT_TRUE(exact && drawn);
    std::cout << "recovered: exact " << exact->recovered << ", drawn " << drawn->recovered << ", tolerance "
              << kTolerance << "\n";
    EXPECT_NEAR(drawn->changed, exact->changed, kTolerance);
    EXPECT_LE(drawn->recovered, exact->recovered + kTolerance);
    if (epsilon > 100) {
      EXPECT_GE(drawn->recovered, 0.9);
    }
  }
}

TEST(EpsilonScan, FindsTheFirstPlaceWithFewMeasurements) {
  for (const int goal : {0, 1, 17, 30, 59, 60, EpsilonScan::kPlaces}) {
    int measurements = 0;
    EpsilonScan scan([&](double epsilon) -> Result<std::optional<TextFigures>> {
      ++measurements;
      TextFigures figures;
      figures.recovered = goal < EpsilonScan::kPlaces && epsilon >= EpsilonScan::epsilon_at(goal) ? 1 : 0;
      return figures;
    });
    const auto reached = [](const TextFigures& figures) { return figures.recovered >= 0.5; };
    EXPECT_EQ(*scan.first(reached), goal);
    EXPECT_LE(measurements, 7);
    EXPECT_EQ(*scan.first(reached), goal);
    EXPECT_LE(measurements, 7) << "a second search must use what is known";
  }
}

TEST(EpsilonScan, TakesARefusalForAnEpsilonTooSmall) {
  EpsilonScan scan([](double epsilon) -> Result<std::optional<TextFigures>> {
    if (epsilon < 42) return std::nullopt;
    TextFigures figures;
    figures.recovered = epsilon > 100 ? 0.9 : 0.2;
    return figures;
  });
  const auto place = scan.first([](const TextFigures& figures) { return figures.recovered > 0.5; });
  EXPECT_DOUBLE_EQ(EpsilonScan::epsilon_at(*place), 120);
  for (const auto& [measured, figures] : scan.measured()) EXPECT_GE(EpsilonScan::epsilon_at(measured), 42);
}

TEST(EpsilonScan, GridIsOfRoundNumbers) {
  EXPECT_EQ(EpsilonScan::epsilon_at(0), 0.001);
  EXPECT_EQ(EpsilonScan::epsilon_at(11), 0.012);
  EXPECT_EQ(EpsilonScan::epsilon_at(30), 1);
  EXPECT_EQ(EpsilonScan::epsilon_at(EpsilonScan::kPlaces - 1), 1000);
}

TEST_F(ChooseTest, RecommendsTheLargestEpsilonWithinTheLimit) {
  ChooseOptions given = options("the dog ate soup\n");
  given.most_recovered = 0.5;
  const auto choice = choose(given);
  ASSERT_TRUE(choice) << describe(choice.error());
  ASSERT_TRUE(choice->recommended);
  const MechanismFindings& findings = choice->mechanisms.front();
  ASSERT_TRUE(findings.at_limit);
  EXPECT_EQ(findings.mechanism.epsilon, findings.points[*findings.at_limit].epsilon);
  EXPECT_LE(findings.points[*findings.at_limit].public_text.recovered, 0.5);
  // The next ε of the grid that was tried is beyond the limit.
  for (const ChoicePoint& point : findings.curve)
    if (point.epsilon > findings.mechanism.epsilon) {
      EXPECT_GT(point.public_text.recovered, 0.5);
      break;
    }
  EXPECT_LT(findings.low, findings.high);
  EXPECT_TRUE(findings.exact);
  EXPECT_EQ(choice->epsilon_chosen_on(), EpsilonBasis::public_text);
  ASSERT_EQ(findings.samples.size(), 1U);
  EXPECT_EQ(findings.samples.front().before, "the dog ate soup");
}

TEST_F(ChooseTest, PrivateTextDoesNotMoveTheRecommendation) {
  std::vector<Choice> choices;
  for (const char* text : {"the the the the\n", "horse horse horse rome\nrome paris\n", "zebra qwerty\n"}) {
    auto choice = choose(options(text, {"santext", "tem"}));
    ASSERT_TRUE(choice) << describe(choice.error());
    choices.push_back(std::move(*choice));
  }
  for (const Choice& choice : choices) {
    EXPECT_EQ(choice.recommended, choices[0].recommended);
    EXPECT_EQ(choice.reason, choices[0].reason);
    for (std::size_t m = 0; m < 2; ++m) {
      const MechanismFindings& findings = choice.mechanisms[m];
      EXPECT_EQ(findings.mechanism.epsilon, choices[0].mechanisms[m].mechanism.epsilon);
      EXPECT_EQ(findings.low, choices[0].mechanisms[m].low);
      EXPECT_EQ(findings.high, choices[0].mechanisms[m].high);
      EXPECT_EQ(findings.candidates, choices[0].mechanisms[m].candidates);
    }
  }
  EXPECT_NE(choices[0].mechanisms[0].points[0].private_text->recovered,
            choices[1].mechanisms[0].points[0].private_text->recovered);
  EXPECT_FALSE(choices[2].mechanisms[0].points[0].private_text) << "it has no word of the vocabulary";
  EXPECT_EQ(choices[2].private_text.unknown, 1);
}

TEST_F(ChooseTest, PrivateTextMovesItOnlyOnRequest) {
  ChooseOptions given = options("horse horse horse rome\nrome paris\n");
  given.use_private = true;
  const auto choice = choose(given);
  ASSERT_TRUE(choice) << describe(choice.error());
  EXPECT_EQ(choice->epsilon_chosen_on(), EpsilonBasis::private_text);
  EXPECT_THAT(choice->reason, HasSubstr("function of it"));
  EXPECT_THAT(to_json(*choice), HasSubstr("\"epsilon_chosen_on\": \"private-text\""));
  expect_error(choose([&] {
                 ChooseOptions unknown = options("zebra\n");
                 unknown.use_private = true;
                 return unknown;
               }()),
               Errc::invalid_argument, "use_private", {"no word of tiny's vocabulary"});
}

TEST_F(ChooseTest, NeverRecommendsWhatHasNoGuarantee) {
  const auto choice = choose(options("the dog\n", {"gumbel"}));
  ASSERT_TRUE(choice) << describe(choice.error());
  EXPECT_FALSE(choice->recommended);
  EXPECT_THAT(choice->reason, HasSubstr("None of these mechanisms has a guarantee"));
}

TEST_F(ChooseTest, RefusesBadOptions) {
  ChooseOptions given = options("the dog\n", {"santext", "tem", "cmp", "mahalanobis", "vickrey"});
  expect_error(choose(given), Errc::invalid_argument, "mechanism", {"5 mechanisms", "at most 4"});
  expect_error(choose(options("the\n", {"tem", "tem"})), Errc::invalid_argument, "mechanism",
               {"given twice"});
  given = options("the dog\n");
  for (const double share : {0.0, 1.0, -1.0, std::nan("")}) {
    given.most_recovered = share;
    expect_error(choose(given), Errc::invalid_argument, "most_recovered", {"0.01 to 0.99"});
  }
  given = options("the dog\n");
  given.public_text = given.files.inputs.front();
  expect_error(choose(given), Errc::invalid_argument, "public", {"is the private text"});
  given.public_text = write("other.txt", "zebra quagga\n");
  expect_error(choose(given), Errc::invalid_argument, "public", {"no word of tiny's vocabulary"});
  expect_error(choose(options(" \n\n12 13\n")), Errc::bad_format, {"no words in it to measure"});
  expect_error(choose(options("the\n", {"dp-mlm"})), Errc::invalid_argument,
               {"dp-mlm", "rewrites whole texts"});
  given = options("the dog\n");
  given.files.inputs.clear();
  expect_error(choose(given), Errc::invalid_argument, {"give a file"});
}

TEST_F(ChooseTest, StatesAUnitThatDoesNotDependOnEpsilon) {
  const auto choice = choose(options("the dog\n", {"tem", "santext"}));
  ASSERT_TRUE(choice) << describe(choice.error());
  EXPECT_EQ(choice->mechanisms[0].unit, "Euclidean distance of the vectors, truncated at gamma");
  EXPECT_EQ(choice->mechanisms[1].unit, "Euclidean distance of the vectors");
}

TEST(MeasuredText, SaysWhichPartWasMeasured) {
  MeasuredText text;
  text.documents = text.documents_seen = 80;
  EXPECT_EQ(documents_of(text), "80 documents");
  text.documents_seen = 7646;
  EXPECT_EQ(documents_of(text), "80 of 7646 documents");
  text.whole = false;
  EXPECT_EQ(documents_of(text), "80 of the first 7646 documents");
}

TEST_F(ChooseTest, StopsWhenAsked) {
  ChooseOptions given = options("the dog\n");
  int calls = 0;
  given.progress = [&](std::uint64_t, std::uint64_t) { return ++calls < 5; };
  expect_error(choose(given), Errc::interrupted, {"interrupted"});
  EXPECT_LE(calls, 6);
}

TEST_F(ChooseTest, PageEscapesTheTextAndIsForItsOwnerOnly) {
  ChooseOptions given = options("the <script>alert(1)</script> dog & cat\n");
  given.most_recovered = 0.5;  // so that there is a recommendation
  const auto choice = choose(given);
  ASSERT_TRUE(choice) << describe(choice.error());
  ASSERT_TRUE(write_choice_page(*choice, "run <this>", given, path("page.html")));
  const auto mode = std::filesystem::status(path("page.html")).permissions();
  EXPECT_EQ(mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
            std::filesystem::perms::none);
  const std::string page = to_html(*choice, "run <this>");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, HasSubstr("run &lt;this&gt;"));
  EXPECT_THAT(page, HasSubstr("Confidential"));
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_FALSE(write_choice_page(*choice, "", given, given.files.inputs.front()));
}

TEST_F(ChooseTest, SamplesUniformlyAndReproducibly) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "line " + std::to_string(i) + "\n\n";
  FileOptions files;
  files.inputs = {write("many.txt", lines)};
  const auto first = pipeline::sample_documents(files, {50, 1 << 20, 7});
  ASSERT_TRUE(first) << describe(first.error());
  EXPECT_EQ(first->documents, 1000U) << "blank lines are no documents";
  EXPECT_TRUE(first->whole);
  EXPECT_EQ(first->texts.size(), 50U);
  EXPECT_EQ(pipeline::sample_documents(files, {50, 1 << 20, 7})->texts, first->texts);
  EXPECT_NE(pipeline::sample_documents(files, {50, 1 << 20, 8})->texts, first->texts);
  // n = 50 uniform numbers below 1000 have mean 499.5 and a standard error of 40.8 at most; 6 of them is α <
  // 1e-8.
  double mean = 0;
  for (const std::string& text : first->texts) mean += std::stod(text.substr(5)) / 50;
  std::cout << "mean " << mean << ", expected 499.5 ± 245\n";
  EXPECT_NEAR(mean, 499.5, 245);
  EXPECT_EQ(pipeline::sample_documents(files, {5000, 1 << 20, 7})->texts.size(), 1000U);
}

TEST_F(ChooseTest, LooksAtTheBeginningOfLongInputs) {
  std::string lines;
  for (int i = 0; i < 400'000; ++i) lines += "word word\n";
  FileOptions files;
  files.inputs = {write("long.txt", lines)};
  const auto sample = pipeline::sample_documents(files, {10, 1 << 20, 1});
  ASSERT_TRUE(sample) << describe(sample.error());
  EXPECT_FALSE(sample->whole);
  EXPECT_GT(sample->documents, 10U);
  EXPECT_LT(sample->documents, 400'000U);
}

TEST(PublicSentences, AreText) {
  EXPECT_GE(public_sentences().size(), 60U);
  for (const std::string& sentence : public_sentences())
    EXPECT_THAT(sentence, ::testing::Not(HasSubstr("  ")));
}

}  // namespace
}  // namespace sotto::testing
