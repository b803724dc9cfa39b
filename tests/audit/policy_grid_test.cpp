// Every policy with every mechanism: nothing claimed for texts is refuted, and what the adjacency leaves out
// can be told apart. Each audit has α = 1e-6 over all its tests and runs on a fixed seed.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "audit/audit_fixture.hpp"

namespace sotto::testing {
namespace {

struct GridMechanism {
  std::string name;
  double epsilon;
  ParameterValues parameters = {};
  bool lists = false;
};

const std::vector<GridMechanism> kMechanisms = {
    {"diffractor-geometric", 1, {}, true},
    {"santext", 2},
    {"custext", 1, {{"k", "4"}}},
    {"diffractor-tem", 1, {}, true},
    {"santext-plus", 2},
    {"tem", 2, {{"gamma", "0.8"}}},
    {"cmp", 4},
    {"mahalanobis", 4},
    {"vickrey", 4},
    {"vickrey-k", 4},
};

constexpr std::array kParts = {"stopwords", "oov", "numbers", "punctuation", "case", "articles"};
const std::array<std::vector<std::string>, 6> kValues = {{{"privatize", "keep"},
                                                          {"nearest", "bottom", "keep", "drop"},
                                                          {"random", "keep", "drop"},
                                                          {"keep", "drop"},
                                                          {"natural", "position", "keep", "lower"},
                                                          {"agree", "keep"}}};

/// The index of the value of each part.
using Choice = std::array<std::size_t, 6>;

std::vector<Choice> every_choice() {
  std::vector<Choice> choices = {{}};
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices)
      for (std::size_t value = 0; value < kValues[part].size(); ++value) {
        longer.push_back(choice);
        longer.back()[part] = value;
      }
    choices = std::move(longer);
  }
  return choices;
}

/// A small set of choices in which every pair of values of two parts occurs, chosen greedily: each next
/// choice covers the most missing pairs.
std::vector<Choice> pairwise_choices() {
  using PartPair = std::array<std::size_t, 4>;
  const auto pairs_of = [](const Choice& choice) {
    std::set<PartPair> pairs;
    for (std::size_t a = 0; a < choice.size(); ++a)
      for (std::size_t b = a + 1; b < choice.size(); ++b) pairs.insert({a, choice[a], b, choice[b]});
    return pairs;
  };
  std::set<PartPair> missing;
  for (const Choice& choice : every_choice()) missing.merge(pairs_of(choice));
  std::vector<Choice> chosen;
  while (!missing.empty()) {
    std::size_t most = 0;
    Choice best{};
    for (const Choice& choice : every_choice()) {
      std::size_t count = 0;
      for (const PartPair& pair : pairs_of(choice)) count += missing.contains(pair);
      if (count > most) {
        most = count;
        best = choice;
      }
    }
    chosen.push_back(best);
    for (const PartPair& pair : pairs_of(best)) missing.erase(pair);
  }
  return chosen;
}

class PolicyGrid : public AuditTest {
 protected:
  void SetUp() override {
    tiny();
    lists();
  }

  std::string model(const GridMechanism& mechanism) const {
    return (folder_.path() / (mechanism.lists ? "lists.safetensors" : "tiny.safetensors")).string();
  }

  BlackBoxReport audit_documents(const GridMechanism& mechanism, const Policy& policy,
                                 std::vector<std::pair<std::string, std::string>> texts = {}) {
    BlackBoxOptions options = small_audit(2000, 4, 7);
    options.runs = 10;
    options.path = AuditPath::document;
    options.mechanism.name = mechanism.name;
    options.mechanism.epsilon = mechanism.epsilon;
    options.mechanism.parameters = mechanism.parameters;
    options.mechanism.model = model(mechanism);
    options.policy = policy;
    options.texts = std::move(texts);
    const auto report = audit_black_box(options);
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report ? *report : BlackBoxReport{};
  }

  void check(const GridMechanism& mechanism, const Choice& choice) {
    Policy policy;
    std::string label = mechanism.name;
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      ASSERT_TRUE(set_policy_part(policy, kParts[part], kValues[part][choice[part]]));
      label += fmt::format(" {}={}", kParts[part], kValues[part][choice[part]]);
    }
    SCOPED_TRACE(label);
    const BlackBoxReport report = audit_documents(mechanism, policy);
    EXPECT_FALSE(report.refuted()) << report.pairs.front().first << " against "
                                   << report.pairs.front().second;
    expect_told_apart(mechanism, report, policy);
  }

  /// Texts for which nothing is promised because a policy shows the difference: most draws of one lie in an
  /// event that no draw of the other meets. A kept word that the mechanism may also draw for the other text
  /// only makes its event likelier.
  void expect_told_apart(const GridMechanism& mechanism, const BlackBoxReport& report, const Policy& policy) {
    const std::set<std::string> shown = [&] {
      std::set<std::string> traits = {"whitespace"};
      if (policy.punctuation == PunctuationPolicy::keep) traits.insert("punctuation");
      if (policy.numbers == NumberPolicy::random) traits.insert("digit counts and separators of numbers");
      if (policy.numbers == NumberPolicy::keep) traits.insert("kept numbers");
      if (policy.letter_case == CasePolicy::keep) traits.insert("letter case");
      if (policy.stopwords == StopwordPolicy::keep || policy.oov == OovPolicy::keep)
        traits.insert("kept words");
      return traits;
    }();
    std::map<std::string, bool> told_apart;  // by the two texts; one direction is enough
    for (const PairFinding& pair : report.pairs)
      for (const std::string& trait : pair.differ_in)
        if (shown.contains(trait) &&
            !(trait == "kept words" && policy.articles == ArticlePolicy::agree && differ_in_articles(pair)))
          told_apart[trait + ": " + std::min(pair.first, pair.second) + " | " +
                     std::max(pair.first, pair.second)] |=
              trait == "kept words" && only_known_words(mechanism, pair)
                  ? pair.loss_lower > 0
                  : pair.first_count >= pair.draws / 2 && pair.second_count == 0;
    EXPECT_FALSE(told_apart.empty());
    for (const auto& [texts, told] : told_apart) EXPECT_TRUE(told) << texts;
  }

  /// Whether the kept words differ in articles only, which then agree with what follows and tell nothing.
  static bool differ_in_articles(const PairFinding& pair) {
    const auto words = [](const std::string& text) {
      std::istringstream stream(text);
      std::vector<std::string> found;
      for (std::string word; stream >> word;)
        found.push_back(word == "an" ? "a" : word.find_first_of("0123456789") == 0 ? "0" : word);
      return found;
    };
    return words(pair.first) == words(pair.second);
  }

  bool only_known_words(const GridMechanism& mechanism, const PairFinding& pair) {
    const auto words = mechanism.lists ? lists() : tiny();
    std::istringstream texts(pair.first + " " + pair.second);
    return std::all_of(std::istream_iterator<std::string>(texts), {},
                       [&](const std::string& word) { return words->find(word) != words->bottom(); });
  }
};

/// Three mechanisms with the pairwise choices.
class PolicyGridSlice : public PolicyGrid {};
TEST_F(PolicyGridSlice, NothingClaimedIsRefuted) {
  const std::vector<Choice> choices = pairwise_choices();
  EXPECT_LE(choices.size(), 20U);
  for (std::size_t i = 0; i < 3; ++i)
    for (const Choice& choice : choices) check(kMechanisms[i], choice);
}

class PolicyGridLong : public PolicyGrid {};
TEST_F(PolicyGridLong, NothingClaimedIsRefuted) {
  for (const GridMechanism& mechanism : kMechanisms)
    for (const Choice& choice : every_choice()) check(mechanism, choice);
}

/// Texts chosen by the user.
class TextPairTest : public PolicyGrid {};

TEST_F(TextPairTest, NumbersOfOtherLengthAreOutsideTheClaim) {
  const BlackBoxReport report =
      audit_documents({"santext", 2}, Policy::strict(), {{"5 dog", "50 dog"}, {"5 dog", "7 dog"}});
  ASSERT_EQ(report.pairs.size(), 4U);
  EXPECT_FALSE(report.refuted());
  const PairFinding& lengths = report.pairs.back();
  EXPECT_FALSE(lengths.claimed);
  EXPECT_EQ(lengths.differ_in, std::vector<std::string>{"digit counts and separators of numbers"});
  EXPECT_GT(lengths.loss_lower, 3);
  EXPECT_TRUE(report.pairs.front().claimed);
  EXPECT_EQ(report.pairs.front().allowed, 0);
}

/// A claim about words alone, whatever the policy lets through.
TEST_F(TextPairTest, AClaimThatIgnoresThePolicyIsRefuted) {
  BlackBoxOptions options = small_audit(2000, 4, 7);
  options.path = AuditPath::document;
  options.mechanism.name = "santext";
  options.mechanism.epsilon = 2;
  options.mechanism.model = model({"santext", 2});
  options.metric = "euclidean";
  const auto refuted = [&](const Policy& policy, std::string first, std::string second) {
    options.policy = policy;
    options.texts = {{std::move(first), std::move(second)}};
    const auto report = audit_black_box(options);
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report && report->refuted();
  };
  EXPECT_TRUE(refuted(Policy::strict(), "5 dog", "50 dog"));
  EXPECT_FALSE(refuted(Policy::strict(), "5 dog", "7 dog"));
  Policy policy;
  policy.letter_case = CasePolicy::keep;
  EXPECT_TRUE(refuted(policy, "pizza dog", "pizza Dog"));
  EXPECT_FALSE(refuted(Policy::strict(), "pizza dog", "pizza Dog"));
  policy = {};
  policy.numbers = NumberPolicy::keep;
  EXPECT_TRUE(refuted(policy, "5 dog", "7 dog"));
}

TEST_F(TextPairTest, SumsOverTokensAreClaimed) {
  const BlackBoxReport report =
      audit_documents({"santext", 2}, Policy::strict(), {{"pizza dog rome", "pasta cat rome"}});
  ASSERT_EQ(report.pairs.size(), 2U);
  const auto model = tiny();
  const auto mechanism = make_mechanism("santext", model, 2, {}).value();
  const double expected = 2 * (mechanism->distance(model->find("pizza"), model->find("pasta")) +
                               mechanism->distance(model->find("dog"), model->find("cat")));
  EXPECT_NEAR(report.pairs.front().allowed, expected, 1e-9);
  EXPECT_FALSE(report.refuted());
}

/// Two strings with one image and two without a place have the same law; and a claim for them that forgets
/// how far a token without a place is from a word is refuted.
TEST_F(TextPairTest, StringsOutsideTheVocabularyAreWhatTheyAreMappedTo) {
  const BlackBoxReport report = audit_documents(
      {"santext", 2}, Policy::strict(),
      {{"the pizzaaaa", "the pizza"}, {"the https://x.org", "the b2b4c6"}, {"the pizza", "the b2b4c6"}});
  ASSERT_EQ(report.pairs.size(), 6U);
  EXPECT_FALSE(report.refuted());
  std::map<std::string, double> allowed;
  for (const PairFinding& pair : report.pairs) {
    EXPECT_TRUE(pair.claimed);
    allowed[pair.first + " | " + pair.second] = pair.allowed;
  }
  EXPECT_EQ(allowed["the pizzaaaa | the pizza"], 0);
  EXPECT_EQ(allowed["the https://x.org | the b2b4c6"], 0);
  const auto model = tiny();
  const auto mechanism = make_mechanism("santext", model, 2, {}).value();
  double farthest = 0;
  for (TokenId z = 0; z < model->size(); ++z)
    farthest = std::max(farthest, mechanism->distance(model->find("pizza"), z));
  EXPECT_NEAR(allowed["the pizza | the b2b4c6"], 2 * farthest, 1e-9);
}

TEST_F(PolicyGrid, TheFalsifierFindsPairsOutsideTheVocabularyByItself) {
  std::map<std::string, int> tests;
  for (const GridMechanism& mechanism : {GridMechanism{"santext", 2}, GridMechanism{"cmp", 4}}) {
    BlackBoxOptions options = small_audit(4000, 16, 7);
    options.runs = 10;
    options.path = AuditPath::document;
    options.mechanism.name = mechanism.name;
    options.mechanism.epsilon = mechanism.epsilon;
    options.mechanism.model = model(mechanism);
    const auto report = audit_black_box(options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->refuted()) << mechanism.name;
    for (const PairFinding& pair : report->pairs) {
      ++tests[pair.chosen_as];
      if (pair.chosen_as == "one image" || pair.chosen_as == "unmapped") {
        EXPECT_EQ(pair.allowed, 0);
      }
    }
  }
  for (const std::string kind : {"one image", "unmapped", "outside", "nearest"}) {
    std::cout << fmt::format("    {}: {} tests\n", kind, tests[kind]);
    EXPECT_GE(tests[kind], 4) << kind;
  }
}

TEST_F(TextPairTest, TextsNeedTheDocumentPath) {
  BlackBoxOptions options = small_audit(2000, 4, 7);
  options.mechanism.epsilon = 1;
  options.mechanism.model = model(kMechanisms.front());
  options.texts = {{"a", "b"}};
  const auto report = audit_black_box(options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().parameter, "texts");
  EXPECT_NE(report.error().message.find("{through} document"), std::string::npos);
}

}  // namespace
}  // namespace sotto::testing
