// The best guess of one output word against brute force on the twelve-word model.
#include <algorithm>
#include <numeric>

#include <sotto/attack.hpp>

#include "audit/audit_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

class GuessInputs : public AuditTest {
 protected:
  OpenMechanism open(const std::string& name, double epsilon) const {
    return open_mechanism({.name = name, .epsilon = epsilon, .resources = {.threads = 1}}, model_).value();
  }

  static InputGuessOptions listing(std::uint64_t guesses, const std::string& prior = "uniform") {
    InputGuessOptions options;
    options.guesses = guesses;
    options.prior = prior;
    return options;
  }
  static InputGuessOptions drawing(std::uint64_t neighbours, std::uint64_t draws) {
    InputGuessOptions options = listing(12);
    options.neighbours = neighbours;
    options.draws = draws;
    options.seed = 5;
    return options;
  }

  std::vector<double> prior(const std::string& name) const {
    std::vector<double> prior(12, 1);
    if (name == "counts") std::copy_n(model_->counts().begin(), 12, prior.begin());
    const double sum = std::accumulate(prior.begin(), prior.end(), 0.0);
    for (double& probability : prior) probability /= sum;
    return prior;
  }

  std::shared_ptr<const Model> model_ = tiny();
};

TEST_F(GuessInputs, IsThePosteriorOfTheDefinition) {
  for (const std::string name : {"santext", "santext-plus", "tem", "custext", "gumbel"})
    for (const double epsilon : {0.1, 3.0, 20.0})
      for (const std::string prior_name : {"uniform", "counts"}) {
        SCOPED_TRACE(name + prior_name);
        const OpenMechanism mechanism = open(name, epsilon);
        const std::vector<double> pi = prior(prior_name);
        for (TokenId y = 0; y < 12; ++y) {
          double sum = 0;
          for (TokenId w = 0; w < 12; ++w) sum += pi[w] * mechanism.mechanism->row(w)[y];
          const InputGuesses found =
              guess_inputs(model_->word(y), mechanism, listing(12, prior_name)).value();
          EXPECT_TRUE(found.exact);
          EXPECT_EQ(found.candidates, 12U);
          EXPECT_EQ(found.blind, *std::max_element(pi.begin(), pi.end()));
          double total = 0;
          double before = 1;
          for (const InputGuess& guess : found.guesses) {
            const TokenId w = model_->find(guess.word);
            EXPECT_NEAR(guess.probability, pi[w] * mechanism.mechanism->row(w)[y] / sum, 1e-12) << guess.word;
            EXPECT_LE(guess.probability, before);
            before = guess.probability;
            total += guess.probability;
          }
          EXPECT_NEAR(total, 1, 1e-12);
        }
      }
}

TEST_F(GuessInputs, ListsTheBestOnly) {
  const OpenMechanism mechanism = open("santext", 3);
  const auto all = guess_inputs(model_->word(3), mechanism, listing(12)).value().guesses;
  const auto two = guess_inputs(model_->word(3), mechanism, listing(2)).value().guesses;
  ASSERT_EQ(all.size(), 12U);
  ASSERT_EQ(two.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(two[i].word, all[i].word);
    EXPECT_EQ(two[i].probability, all[i].probability);  // of all candidates, not of those listed
  }
}

/// A mechanism with the draws of another that hides its rows.
class Hidden final : public Mechanism {
 public:
  explicit Hidden(std::shared_ptr<const Mechanism> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<PendingTokens> make_pending() const override { return inner_->make_pending(); }
  Guarantee guarantee() const override { return inner_->guarantee(); }
  std::vector<double> row(TokenId) const override { return {}; }

 private:
  std::shared_ptr<const Mechanism> inner_;
};

/// With 80,000 draws of each word, a share of the posterior has a standard error of at most 0.004: a share p
/// is a ratio whose numerator and sum are counts, of at least 80,000/12 together. 0.025 is six of them.
TEST_F(GuessInputs, EstimatesWhatHasNoClosedForm) {
  OpenMechanism hidden = open("santext", 3);
  const OpenMechanism known = hidden;
  hidden.mechanism = std::make_shared<Hidden>(known.mechanism);
  for (TokenId y = 0; y < 12; ++y) {
    const auto exact = guess_inputs(model_->word(y), known, listing(12)).value();
    const auto found = guess_inputs(model_->word(y), hidden, drawing(12, 80'000)).value();
    EXPECT_FALSE(found.exact);
    EXPECT_EQ(found.draws, 80'000U);
    EXPECT_GT(found.seen, 80'000U / 12);
    for (const InputGuess& guess : found.guesses) {
      const auto same = std::find_if(exact.guesses.begin(), exact.guesses.end(),
                                     [&](const InputGuess& other) { return other.word == guess.word; });
      ASSERT_NE(same, exact.guesses.end());
      EXPECT_NEAR(guess.probability, same->probability, 0.025) << guess.word;
    }
  }
}

TEST_F(GuessInputs, GoesByDistanceWhereNoDrawWasTheOutput) {
  OpenMechanism hidden = open("santext", 1e5);  // nothing changes
  hidden.mechanism = std::make_shared<Hidden>(hidden.mechanism);
  const auto seen = guess_inputs(model_->word(4), hidden, drawing(1, 3)).value();
  EXPECT_EQ(seen.seen, 3U);
  EXPECT_EQ(seen.guesses.at(0).word, model_->word(4));
  // Words whose draws never are the output still weigh something.
  OpenMechanism constant = open("santext", 1);
  class Constant final : public Mechanism {
   public:
    explicit Constant(const Mechanism& inner) : inner_(inner) {}
    std::unique_ptr<PendingTokens> make_pending() const override { return std::make_unique<Tokens>(); }
    Guarantee guarantee() const override { return inner_.guarantee(); }
    std::vector<double> row(TokenId) const override { return {}; }

   private:
    struct Tokens final : PendingTokens {
      void add(std::span<const TokenId>, BitSource&) override {}
      void resolve(std::span<TokenId> out) override { std::fill(out.begin(), out.end(), 0); }
    };
    const Mechanism& inner_;
  };
  const OpenMechanism inner = constant;
  constant.mechanism = std::make_shared<Constant>(*inner.mechanism);
  const auto unseen = guess_inputs(model_->word(4), constant, drawing(5, 10)).value();
  EXPECT_EQ(unseen.seen, 0U);
  ASSERT_EQ(unseen.guesses.size(), 5U);
  EXPECT_EQ(unseen.guesses[0].word, model_->word(4));
  EXPECT_GT(unseen.guesses[0].probability, unseen.guesses[4].probability);
}

TEST_F(GuessInputs, RefusesWhatIsNoOutput) {
  const OpenMechanism mechanism = open("santext", 3);
  expect_error(guess_inputs("nonesuch", mechanism), Errc::not_found, "output", {"'nonesuch'"});
  expect_error(guess_inputs("12", mechanism), Errc::invalid_argument, {"not a word"});
  const std::string word(model_->word(0));
  expect_error(guess_inputs(word, mechanism, listing(1, "zipf")), Errc::invalid_argument, "prior",
               {"uniform"});
  expect_error(guess_inputs(word, mechanism, listing(0)), Errc::invalid_argument, "guesses", {"1 to 1000"});
  expect_error(guess_inputs(word, mechanism, drawing(1000, 1001)), Errc::invalid_argument, "draws",
               {"1 to 1000"});
}

}  // namespace
}  // namespace sotto::testing
