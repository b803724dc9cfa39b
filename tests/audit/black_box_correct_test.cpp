// Audits the auditor: what is right must not be refuted. Each audit has α = 1e-6 over all its tests; 100
// seeds per mechanism and ε.
#include "audit/audit_fixture.hpp"

namespace sotto::testing {
namespace {

constexpr std::uint64_t kSeeds = 100;

class BlackBoxCorrect : public AuditTest {
 protected:
  void expect_never_refuted(const std::string& name, std::shared_ptr<const Model> model,
                            const std::vector<double>& epsilons, const ParameterValues& parameters = {}) {
    std::string label = name;
    for (const auto& [key, value] : parameters)
      if (key != "wordnet") label += fmt::format(", {}={}", key, value);
    for (const double epsilon : epsilons) {
      const auto mechanism = make_mechanism(name, model, epsilon, parameters).value();
      double largest = 0;
      int refuted = 0;
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        BlackBoxOptions options = small_audit(2000, 10, seed);
        options.runs = 10;
        const BlackBoxReport report = audit(*mechanism, *model, options);
        refuted += report.refuted() ? 1 : 0;
        largest = std::max(largest, report.epsilon_lower);
      }
      const BlackBoxReport thorough = audit(*mechanism, *model, small_audit(100'000, 20, 1));
      std::cout << fmt::format("| {} | {:g} | {} of {} | {:.3f} | {:.3f} | {} |\n", label, epsilon, refuted,
                               kSeeds, largest, thorough.epsilon_lower,
                               thorough.refuted() ? "refuted" : "failed to falsify");
      EXPECT_EQ(refuted, 0);
      EXPECT_FALSE(thorough.refuted());
      EXPECT_LE(thorough.epsilon_lower, epsilon);
    }
  }
};

TEST_F(BlackBoxCorrect, Selection) {
  expect_never_refuted("santext", tiny(), {0.5, 2, 8});
  expect_never_refuted("santext", tiny(), {2}, {{"selection", "permute-and-flip"}});
  expect_never_refuted("santext-plus", tiny(), {2});
  expect_never_refuted("tem", tiny(), {0.5, 2, 8}, {{"gamma", "0.8"}});
  expect_never_refuted("custext", tiny(), {0.5, 2}, {{"k", "4"}});
}

TEST_F(BlackBoxCorrect, Noise) {
  expect_never_refuted("cmp", tiny(), {2, 8});
  expect_never_refuted("mahalanobis", tiny(), {2, 8});
  expect_never_refuted("vickrey", tiny(), {2, 8});
  expect_never_refuted("vickrey-k", tiny(), {4});
}

TEST_F(BlackBoxCorrect, Lists) {
  expect_never_refuted("diffractor-geometric", lists(), {0.2, 1, 3});
  expect_never_refuted("diffractor-tem", lists(), {0.2, 1, 3});
}

TEST_F(BlackBoxCorrect, Synonyms) {
  expect_never_refuted("syntf", tiny(), {0.5, 2}, {{"candidates", "vocabulary"}, {"wordnet", wordnet()}});
}

}  // namespace
}  // namespace sotto::testing
