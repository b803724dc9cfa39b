// Attacks on the twelve-word model against brute force from the definitions.
#include <sotto/attack.hpp>

#include "audit/audit_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using Figures = std::map<std::string, std::pair<double, double>>;  // success, E_M

/// A mechanism that hides its rows.
class Opaque final : public Mechanism {
 public:
  explicit Opaque(const Mechanism& inner) : inner_(inner) {}
  std::unique_ptr<PendingTokens> make_pending() const override { return inner_.make_pending(); }
  Guarantee guarantee() const override { return inner_.guarantee(); }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  const Mechanism& inner_;
};

class Attack : public AuditTest {
 protected:
  std::shared_ptr<const Model> model_ = tiny();
  std::vector<Point> points_ = points_of(tiny_model_parts());

  double d(TokenId a, TokenId b) const { return distance(points_[a], points_[b]); }

  std::vector<double> prior(const std::string& name) const {
    std::vector<double> weights(12, 1);
    if (name == "counts")
      for (TokenId w = 0; w < 12; ++w) weights[w] = static_cast<double>(model_->counts()[w]);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  AttackOptions options(double epsilon, const std::string& prior_name) const {
    AttackOptions options;
    options.mechanism.epsilon = epsilon;
    options.words = 0;
    options.prior = prior_name;
    options.neighbours = 5;
    options.seed = 1;
    options.mechanism.resources.threads = 1;
    return options;
  }

  /// E_M and the success of the best guess, as triple sums over secret, output and guess. `weight(guess,
  /// output)` is what the adversary goes by, up to a factor.
  template <class Weight>
  std::pair<double, double> by_definition(const Mechanism& mechanism, const std::vector<double>& pi,
                                          const Weight& weight) const {
    double error = 0;
    double success = 0;
    for (TokenId y = 0; y < 12; ++y) {
      double sum = 0;
      TokenId best = 0;
      for (TokenId guess = 0; guess < 12; ++guess) {
        sum += weight(guess, y);
        if (weight(guess, y) > weight(best, y)) best = guess;
      }
      for (TokenId w = 0; w < 12; ++w) {
        const double joint = pi[w] * mechanism.row(w)[y];
        success += w == best ? joint : 0;
        for (TokenId guess = 0; guess < 12; ++guess) error += guess == w ? 0 : joint * weight(guess, y) / sum;
      }
    }
    return {success, error};
  }

  Figures figures_by_definition(const Mechanism& mechanism, double epsilon, const std::string& name) const {
    const std::vector<double> pi = prior(name);
    const auto among_nearest = [&](TokenId guess, TokenId y, std::size_t k) {
      const std::vector<Ranked> ranked = rank_words(points_, points_[y]);
      bool found = false;
      for (std::size_t i = 0; i < k; ++i) found |= ranked[i].word == guess;
      return found;
    };
    return {{"bayes",
             by_definition(mechanism, pi,
                           [&](TokenId guess, TokenId y) { return pi[guess] * mechanism.row(guess)[y]; })},
            {"nearest",
             by_definition(mechanism, pi, [&](TokenId guess, TokenId y) { return guess == y ? 1.0 : 0.0; })},
            {"inversion", by_definition(mechanism, pi, [&](TokenId guess, TokenId y) {
               return among_nearest(guess, y, 5) ? pi[guess] * std::exp(-epsilon / 2 * d(guess, y)) : 0;
             })}};
  }
};

TEST_F(Attack, ExactFiguresAreThoseOfTheDefinitions) {
  for (const char* name : {"santext", "tem", "custext", "santext-plus", "gumbel"}) {
    for (const char* prior_name : {"uniform", "counts"}) {
      const double epsilon = name == std::string("gumbel") ? 1e3 : 3;
      const auto mechanism = make_mechanism(name, model_, epsilon, {}).value();
      const AttackReport report = attack(*mechanism, *model_, options(epsilon, prior_name)).value();
      EXPECT_TRUE(report.exact && report.whole_vocabulary);
      const Figures expected = figures_by_definition(*mechanism, epsilon, prior_name);
      ASSERT_EQ(report.attacks.size(), 3U);
      for (const AttackResult& result : report.attacks) {
        EXPECT_NEAR(result.success.value, expected.at(result.name).first, 1e-12) << name << result.name;
        EXPECT_NEAR(result.expected_error.value, expected.at(result.name).second, 1e-12)
            << name << result.name;
        EXPECT_EQ(result.success.low, result.success.high);
        // Nobody beats the Bayes adversary, and its best guess beats a drawn one.
        EXPECT_LE(result.success.value, report.attacks[0].success.value + 1e-12);
        EXPECT_LE(1 - result.success.value, result.expected_error.value + 1e-12);
      }
      double loss = 0;
      double changed = 0;
      const std::vector<double> pi = prior(prior_name);
      for (TokenId w = 0; w < 12; ++w)
        for (TokenId y = 0; y < 12; ++y) {
          loss += pi[w] * mechanism->row(w)[y] * d(w, y);
          changed += w == y ? 0 : pi[w] * mechanism->row(w)[y];
        }
      EXPECT_NEAR(report.utility_loss.value, loss, 1e-12);
      EXPECT_NEAR(report.changed.value, changed, 1e-12);
      EXPECT_NEAR(report.blind_success, *std::max_element(pi.begin(), pi.end()), 1e-12);
    }
  }
}

// Equation 3 of "On a Utilitarian Approach to Privacy Preserving Text Generation" as printed has π(w′)f(ŵ|w′)
// in the numerator. That is not a distribution over the guesses, and not the posterior.
TEST_F(Attack, ThePosteriorIsBayesRule) {
  const auto mechanism = make_mechanism("santext", model_, 3, {}).value();
  const std::vector<double> pi = prior("counts");
  const double as_printed = by_definition(*mechanism, pi, [&](TokenId guess, TokenId y) {
                              return pi[y] * mechanism->row(y)[guess];
                            }).second;
  AttackOptions with = options(3, "counts");
  with.attacks = {"bayes"};
  const AttackReport report = attack(*mechanism, *model_, with).value();
  ASSERT_EQ(report.attacks.size(), 1U);
  EXPECT_GT(std::abs(report.attacks[0].expected_error.value - as_printed), 0.01);
}

// n = 200,000 trials; each interval misses with probability at most 1e-7 (approximately, for the distance).
TEST_F(Attack, SampledIntervalsHoldTheExactFigures) {
  for (const char* prior_name : {"uniform", "counts"}) {
    const auto mechanism = make_mechanism("santext", model_, 3, {}).value();
    const Opaque opaque(*mechanism);
    AttackOptions with = options(3, prior_name);
    with.draws = 200'000;
    with.trials = 200'000;
    with.confidence = 1 - 1e-7;
    const AttackReport exact = attack(*mechanism, *model_, with).value();
    const AttackReport sampled = attack(opaque, *model_, with).value();
    EXPECT_FALSE(sampled.exact);
    const auto expect_inside = [](const char* what, const Estimate& interval, double value) {
      std::cout << fmt::format("    {}: {:.5f} in [{:.5f}, {:.5f}]\n", what, value, interval.low,
                               interval.high);
      EXPECT_LE(interval.low, value) << what;
      EXPECT_GE(interval.high, value) << what;
    };
    expect_inside("utility loss", sampled.utility_loss, exact.utility_loss.value);
    expect_inside("changed", sampled.changed, exact.changed.value);
    for (std::size_t i = 0; i < 3; ++i) {
      expect_inside("success", sampled.attacks[i].success, exact.attacks[i].success.value);
      expect_inside("E_M", sampled.attacks[i].expected_error, exact.attacks[i].expected_error.value);
    }
  }
}

TEST_F(Attack, SomeWordsAsSecrets) {
  const auto mechanism = make_mechanism("santext", model_, 3, {}).value();
  AttackOptions with = options(3, "uniform");
  with.words = 4;
  const AttackReport few = attack(*mechanism, *model_, with).value();
  EXPECT_EQ(few.words, 4U);
  EXPECT_FALSE(few.whole_vocabulary);
  EXPECT_DOUBLE_EQ(few.blind_success, 0.25);
  const AttackReport all = attack(*mechanism, *model_, options(3, "uniform")).value();
  EXPECT_GT(few.attacks[0].success.value, all.attacks[0].success.value);
  // The secret nearest to an output that is not itself a secret is a guess too.
  double own = 0;
  for (TokenId w = 0; w < 12; ++w) own += mechanism->row(w)[w] / 12;
  EXPECT_NEAR(1 - all.attacks[1].expected_error.value, own, 1e-12);
  EXPECT_GT(few.attacks[1].success.value, own);
}

// Computed by hand: two lists of five words; neighbours in either list are 1 apart.
TEST_F(Attack, ListsGoByTheLeastDistance) {
  const auto model = write_list_set(folder_.path() / "five.safetensors", letter_words(5),
                                    {{"a", {0, 1, 2, 3, 4}}, {"b", {0, 3, 1, 4, 2}}});
  const auto mechanism = make_mechanism("diffractor-geometric", model, 1, {}).value();
  const double least[5][5] = {
      {0, 1, 2, 1, 3}, {1, 0, 1, 1, 1}, {2, 1, 0, 1, 1}, {1, 1, 1, 0, 1}, {3, 1, 1, 1, 0}};
  double loss = 0;
  for (TokenId w = 0; w < 5; ++w)
    for (TokenId y = 0; y < 5; ++y) loss += mechanism->row(w)[y] * least[w][y] / 5;
  const AttackReport report = attack(*mechanism, *model, options(1, "uniform")).value();
  EXPECT_NEAR(report.utility_loss.value, loss, 1e-12);
  EXPECT_EQ(report.metric, "list index distance, the least over the lists");
}

TEST_F(Attack, AMechanismOpenOrByName) {
  for (const char* const name : {"santext", "cmp"}) {  // exact, and by trial
    AttackOptions by_name = options(3, "counts");
    by_name.mechanism.name = name;
    by_name.mechanism.model = model_->path().string();
    by_name.trials = 2000;
    AttackReport expected = attack(by_name).value();
    EXPECT_EQ(expected.mechanism, name);
    EXPECT_EQ(expected.epsilon, 3);
    const OpenMechanism open = open_mechanism(by_name.mechanism).value();
    AttackOptions with = by_name;
    with.mechanism = {.name = "absent", .epsilon = 9, .model = "absent"};
    AttackReport found = attack(open, with).value();
    expected.seconds = found.seconds = 0;
    EXPECT_EQ(to_json(found), to_json(expected));
  }
}

TEST_F(Attack, BadOptions) {
  const auto mechanism = make_mechanism("santext", model_, 3, {}).value();
  const auto refused = [&](const std::function<void(AttackOptions&)>& change, const std::string& parameter,
                           const std::vector<std::string>& parts) {
    AttackOptions with = options(3, "uniform");
    change(with);
    expect_error(attack(*mechanism, *model_, with), Errc::invalid_argument, parameter, parts);
  };
  refused([](AttackOptions& o) { o.attacks = {"magic"}; }, "attack", {"'magic'", "inversion"});
  refused([](AttackOptions& o) { o.prior = "zipf"; }, "prior", {"'zipf'", "counts"});
  refused([](AttackOptions& o) { o.neighbours = 0; }, "neighbours", {"'0'"});
  refused([](AttackOptions& o) { o.draws = 0; }, "draws", {"'0'"});
  refused([](AttackOptions& o) { o.trials = 0; }, "trials", {"'0'"});
  refused([](AttackOptions& o) { o.confidence = 1; }, "confidence", {"'1'"});
  refused([](AttackOptions& o) { o.mechanism.epsilon = -1; }, "epsilon", {"-1"});
  const auto without_counts = lists();
  const auto on_lists = make_mechanism("diffractor-geometric", without_counts, 1, {}).value();
  expect_error(attack(*on_lists, *without_counts, options(1, "counts")), Errc::invalid_argument, "prior",
               {"no counts"});
}

TEST_F(Attack, CanBeStopped) {
  const auto exact = make_mechanism("santext", model_, 3, {}).value();
  const auto sampled = make_mechanism("cmp", model_, 3, {}).value();
  AttackOptions with = options(3, "uniform");
  with.progress = [](std::uint64_t, std::uint64_t) { return false; };
  expect_error(attack(*exact, *model_, with), Errc::interrupted, {"interrupted"});
  expect_error(attack(*sampled, *model_, with), Errc::interrupted, {"interrupted"});
  BlackBoxOptions falsify = small_audit(1000, 5, 1);
  falsify.progress = with.progress;
  expect_error(audit_black_box(*exact, *model_, falsify), Errc::interrupted, {"interrupted"});
}

TEST_F(Attack, ThreadsDoNotMatter) {
  const auto exact = make_mechanism("santext", model_, 3, {}).value();
  const auto sampled = make_mechanism("cmp", model_, 3, {}).value();
  for (const Mechanism* mechanism : {exact.get(), sampled.get()}) {
    AttackOptions with = options(3, "counts");
    with.trials = 5000;
    with.words = 6;
    const AttackReport one = attack(*mechanism, *model_, with).value();
    with.mechanism.resources.threads = 4;
    const AttackReport four = attack(*mechanism, *model_, with).value();
    EXPECT_EQ(one.utility_loss.value, four.utility_loss.value);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(one.attacks[i].success.value, four.attacks[i].success.value);
      EXPECT_EQ(one.attacks[i].expected_error.value, four.attacks[i].expected_error.value);
    }
  }
}

}  // namespace
}  // namespace sotto::testing
