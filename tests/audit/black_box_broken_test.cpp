// Audits the auditor: what is broken on purpose must be refuted, at confidence 1 − 1e-6 over all tests of an
// audit. The printed rows are those of docs/audit.md.
#include "audit/audit_fixture.hpp"

namespace sotto::testing {
namespace {

using BlackBoxBroken = AuditTest;

TEST_F(BlackBoxBroken, NoiseHalved) {
  const auto model = tiny();
  for (const char* name : {"cmp", "mahalanobis", "vickrey"}) {
    const Overclaiming broken(make_mechanism(name, model, 4, {}).value(), 2);
    const BlackBoxReport report = audit(broken, *model, small_audit(200'000, 20, 1));
    print_row(fmt::format("{}, noise halved", name), report);
    EXPECT_TRUE(report.losses_refute());
    EXPECT_FALSE(report.independence_refutes());
    EXPECT_GT(report.epsilon_lower, 2);
    EXPECT_LE(report.epsilon_lower, 4);  // which it does keep
  }
}

// Thirty words in 50 dimensions and one more at distance 0.3 from the first. Most words lie within γ of each
// other, so the wrong score gives those beyond γ only part of the weight they should have.
TEST_F(BlackBoxBroken, ScoreOfTheFarWordsInTem) {
  VectorModel parts = random_words(30, 50, 200, 1e-3);
  parts.words.emplace_back("beside");
  for (std::size_t c = 0; c < 50; ++c) parts.vectors.push_back(parts.vectors[c] + (c == 0 ? 300 : 0));
  const auto model = write(parts, "near");
  const std::vector<Point> points = points_of(parts);
  const double epsilon = 4;
  const double gamma = 2;
  const Distance euclidean = [&](TokenId a, TokenId b) { return distance(points[a], points[b]); };
  const Distance truncated = [&](TokenId a, TokenId b) { return std::min(gamma, euclidean(a, b)); };
  const TableMechanism broken(wrong_tem_rows(31, epsilon, gamma, euclidean), epsilon, truncated);
  const BlackBoxReport report = audit(broken, *model, small_audit(200'000, 40, 1));
  print_row("tem, ⊥ score ln(\\|W\\|/\\|L\\|)", report);
  EXPECT_TRUE(report.losses_refute());
}

TEST_F(BlackBoxBroken, VickreyWithoutTheInput) {
  const auto model = tiny();
  const auto broken = make_mechanism("vickrey", model, 8, {{"exclude_input", "true"}}).value();
  BlackBoxOptions options = small_audit(200'000, 20, 1);
  options.metric = "euclidean";
  options.mechanism.epsilon = 8;
  const BlackBoxReport report = audit(*broken, *model, options);
  print_row("vickrey, exclude_input=true", report);
  EXPECT_TRUE(report.losses_refute());
  EXPECT_FALSE(report.own_claim);
}

// Words about equally far from each other. For every pair the theorem claims ε·d, hardly more than its
// minimum 5 + 2·ln n, while the probability of becoming the word of rank r is that of k >= r.
TEST_F(BlackBoxBroken, TheGumbelTheorem) {
  const std::size_t words = 14;
  VectorModel parts = random_words(words, 2000, 200, 1e-3);
  const auto model = write(parts, "gumbel");
  double epsilon = 0;
  for (TokenId a = 0; a < words; ++a)
    for (TokenId b = 0; b < a; ++b) {
      const double d = std::sqrt(static_cast<double>(model->squared_distance(a, b))) * model->scale();
      epsilon = std::max(epsilon, (5 + 2 * std::log(static_cast<double>(words))) / d);
    }
  epsilon *= 1.001;
  const auto broken = make_mechanism("gumbel", model, epsilon, {{"calibration", "theorem"}}).value();
  BlackBoxOptions options = small_audit(6'000'000, 3, 1);
  options.metric = "euclidean";
  options.mechanism.epsilon = epsilon;
  options.vocabulary_only = true;
  const BlackBoxReport report = audit(*broken, *model, options);
  print_row("gumbel, calibration=theorem", report);
  EXPECT_TRUE(report.losses_refute());
}

TEST_F(BlackBoxBroken, AListUsedForSomeInputsOnly) {
  const auto model = lists();
  const std::vector<TokenId> first = stepping_order(13, 1);
  const std::vector<TokenId> second = stepping_order(13, 5);
  const auto whole = make_mechanism("diffractor-geometric", model, 1, {}).value();
  const Distance index = [&](TokenId a, TokenId b) { return whole->distance(a, b); };
  const TableMechanism broken(dropped_list_rows(first, second, 1), 1, index);
  const BlackBoxReport report = audit(broken, *model, small_audit(200'000, 40, 1));
  print_row("diffractor, a list dropped", report);
  EXPECT_TRUE(report.losses_refute());
}

TEST_F(BlackBoxBroken, WordsOutsideTheVocabularyPass) {
  const auto model = tiny();
  const PassingBottom broken(make_mechanism("santext", model, 1, {}).value(), model->bottom());
  const BlackBoxReport report = audit(broken, *model, small_audit(20'000, 20, 1));
  print_row("santext, ⊥ passed through", report);
  EXPECT_TRUE(report.losses_refute());
  EXPECT_TRUE(report.pairs.front().first == "⊥" || report.pairs.front().second == "⊥");
}

TEST_F(BlackBoxBroken, FewSeeds) {
  const auto model = tiny();
  const auto right = make_mechanism("santext", model, 1, {}).value();
  BlackBoxOptions options = small_audit(20'000, 20, 1);
  options.runs = 1000;
  for (const int bits : {0, 8, 16}) {
    const BlackBoxReport report = audit(*right, *model, options, bits == 0 ? one_seed() : few_seeds(bits));
    print_row(fmt::format("santext, a seed of {} bits", bits), report);
    EXPECT_TRUE(report.independence.front().refutes);
  }
  EXPECT_FALSE(audit(*right, *model, options, few_seeds(60)).refuted());
}

TEST_F(BlackBoxBroken, TokensThatDependOnEachOther) {
  const auto model = tiny();
  const Repeating repeating(make_mechanism("santext", model, 1, {}).value());
  const BlackBoxReport cached = audit(repeating, *model, small_audit(20'000, 20, 1));
  print_row("santext, every second token repeats the first", cached);
  EXPECT_TRUE(cached.independence[1].refutes);
  EXPECT_NE(cached.independence[1].detail.find("words 1 place apart"), std::string::npos);

  const Rows uniform(13, std::vector<double>(12, 1.0 / 12));
  const TableMechanism table(uniform, 1, [](TokenId a, TokenId b) { return a == b ? 0.0 : 1.0; });
  const BlackBoxReport mirrored = audit(table, *model, small_audit(20'000, 20, 1), [](std::uint64_t run) {
    return std::make_unique<AntitheticBits>(run);
  });
  print_row("uniform, every second random word the complement of the first", mirrored);
  EXPECT_TRUE(mirrored.independence[2].refutes);
  EXPECT_FALSE(mirrored.losses_refute());
}

}  // namespace
}  // namespace sotto::testing
