// The choice among measured settings.
#include <sotto/tune.hpp>

#include "evaluate/word_task_fixture.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

class Tune : public WordTaskTest {
 protected:
  TuneOptions options() {
    TuneOptions options;
    options.task = labelled();
    options.mechanisms = {"santext", "tem"};
    options.epsilons = {0.5, 1, 2, 4, 8, 16};
    options.models = {model_->path().string()};
    options.largest_loss = 0.3;
    options.seed = 1;
    options.resources.threads = 1;
    return options;
  }
};

TEST_F(Tune, TheChoiceIsTheBestThatIsAllowed) {
  for (const TuneObjective objective : {TuneObjective::inference_error, TuneObjective::best_guess_error}) {
    TuneOptions given = options();
    given.objective = objective;
    given.grid = {{"tem.gamma", {"0.2", "0.8"}}};
    const auto report = tune(given);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->points.size(), 6U + 12U);
    EXPECT_EQ(report->covered, 12U);
    ASSERT_TRUE(report->choice);
    EXPECT_TRUE(report->choice_is_certain);
    EXPECT_EQ(report->certain_choice, report->choice);
    const TradeOff& choice = report->points[*report->choice];
    EXPECT_LE(choice.utility_loss.value, 0.3);
    for (const TradeOff& point : report->points)
      if (point.utility_loss.value <= 0.3) {
        EXPECT_LE(report->objective_of(point).value, report->objective_of(choice).value);
      }
    // A point is on the frontier if and only if no other is better in one figure and not worse in the other.
    for (std::size_t i = 0; i < report->points.size(); ++i) {
      const TradeOff& point = report->points[i];
      bool beaten = false;
      for (const TradeOff& other : report->points) {
        const double more = report->objective_of(other).value - report->objective_of(point).value;
        const double less = point.utility_loss.value - other.utility_loss.value;
        beaten |= more >= 0 && less >= 0 && more + less > 0;
      }
      const bool shown =
          std::find(report->frontier.begin(), report->frontier.end(), i) != report->frontier.end();
      EXPECT_EQ(shown, !beaten) << point.name() << " " << point.epsilon;
    }
  }
}

TEST_F(Tune, TheOrderOfEpsilonsDoesNotMatter) {
  TuneOptions given = options();
  given.epsilons = {4, 0.5, 4, 16, 0.5};
  const auto report = tune(given);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<double> epsilons;
  for (const TradeOff& point : report->points)
    if (point.mechanism == "tem") epsilons.push_back(point.epsilon);
  EXPECT_EQ(epsilons, (std::vector<double>{0.5, 4, 16}));
}

TEST_F(Tune, NothingMeetsTheLimit) {
  TuneOptions given = options();
  given.epsilons = {0.01};
  given.largest_loss = 0.001;
  const auto report = tune(given);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->choice);
  EXPECT_FALSE(report->certain_choice);
  EXPECT_FALSE(report->frontier.empty());
}

TEST_F(Tune, AnUncertainChoiceIsSaidToBe) {
  TuneOptions given = options();
  given.mechanisms = {"vickrey"};
  given.epsilons = {4, 64};
  given.draws = 20;
  const auto first = tune(given);
  ASSERT_TRUE(first);
  // A limit just above the estimated loss of the first point lies inside its interval.
  given.largest_loss = first->points[0].utility_loss.value + 1e-9;
  const auto report = tune(given);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->choice, 0U);
  EXPECT_FALSE(report->choice_is_certain);
  EXPECT_EQ(report->certain_choice, 1U);
}

TEST_F(Tune, OnlyWhatIsProvedIsChosen) {
  TuneOptions given = options();
  given.mechanisms = {"vickrey"};
  given.epsilons = {50};
  given.grid = {{"exclude_input", {"false", "true"}}, {"t", {"0"}}};
  given.largest_loss = 1;
  const auto report = tune(given);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->points[1].guarantee, GuaranteeKind::none);
  EXPECT_GT(report->points[1].inference_error.value, report->points[0].inference_error.value);
  EXPECT_EQ(report->choice, 0U);
  given.unproven = true;
  EXPECT_EQ(tune(given)->choice, 1U);
}

TEST_F(Tune, TheGridIsAllCombinations) {
  TuneOptions given = options();
  given.mechanisms = {"cmp", "vickrey", "vickrey-k"};
  given.epsilons = {1, 2};
  given.draws = 2;
  given.grid = {{"t", {"0", "1"}}, {"vickrey-k.t", {"3"}}, {"k", {"2", "4"}}};
  const auto report = tune(given);
  ASSERT_TRUE(report) << report.error().message;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < report->points.size(); i += 2) names.push_back(report->points[i].name());
  EXPECT_EQ(names, (std::vector<std::string>{"cmp", "vickrey t=0", "vickrey t=1", "vickrey-k k=2 t=3",
                                             "vickrey-k k=4 t=3"}));
  EXPECT_EQ(report->points[1].epsilon, 2);
}

// The mechanism that a recommendation runs has all words of the model, so that is what is measured.
TEST_F(Tune, MeasuresTheWholeModel) {
  TuneOptions given = options();
  given.task = {};
  given.task.classes = {{"good", write("good.txt", "pizza\ndog\n")},
                        {"bad", write("bad.txt", "soup\nrome\n")}};
  given.mechanisms = {"santext"};
  given.epsilons = {4};
  const auto whole = tune(given);
  ASSERT_TRUE(whole) << whole.error().message;
  const auto mechanism = make_mechanism("santext", model_, 4, {}).value();
  double loss = 0;
  for (const char* word : {"pizza", "dog", "soup", "rome"}) {
    const std::vector<double> row = mechanism->row(id(word));
    double stays_in_class = 0;
    const bool good = std::string(word) == "pizza" || std::string(word) == "dog";
    for (const char* other : {"pizza", "dog"}) stays_in_class += good ? row[id(other)] : 0;
    for (const char* other : {"soup", "rome"}) stays_in_class += good ? 0 : row[id(other)];
    loss += (1 - stays_in_class) / 4;
  }
  EXPECT_NEAR(whole->points[0].utility_loss.value, loss, 1e-12);
  given.task.outputs = "list";
  EXPECT_LT(tune(given)->points[0].utility_loss.value, loss) << "every output has a label";
}

TEST_F(Tune, ListsAndVectorsCompareInOneRun) {
  const auto lists =
      write_list_set(folder_.path() / "lists.safetensors", {"rome", "pizza", "dog", "cat", "paris"},
                     {{"one", stepping_order(5, 1)}});
  TuneOptions given = options();
  given.mechanisms = {"santext", "diffractor-geometric"};
  given.models = {model_->path().string(), lists->path().string()};
  given.epsilons = {1, 8};
  const auto report = tune(given);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->models, (std::vector<std::string>{"tiny", "lists"}));
  EXPECT_EQ(report->covered, 5U);
  ASSERT_EQ(report->points.size(), 4U);
  EXPECT_EQ(report->points[0].model, given.models[0]);
  EXPECT_EQ(report->points[3].model, given.models[1]);
  EXPECT_EQ(report->points[3].mechanism, "diffractor-geometric");
  EXPECT_NE(report->points[0].unit, report->points[3].unit);
  EXPECT_GT(report->points[2].inference_error.value, report->points[3].inference_error.value);
  given.models = {lists->path().string()};
  expect_error(tune(given), Errc::invalid_argument, {"lists", "vectors"});
}

TEST_F(Tune, BadOptions) {
  TuneOptions given = options();
  given.grid = {{"lambda", {"1"}}};
  expect_error(tune(given), Errc::invalid_argument, "grid", {"'lambda'", "tem.gamma"});
  given = options();
  given.mechanisms = {"nothing"};
  expect_error(tune(given), Errc::invalid_argument, "mechanism", {"'nothing'"});
  given = options();
  given.epsilons = {};
  expect_error(tune(given), Errc::invalid_argument, "epsilon", {});
  given = options();
  given.epsilons = {-1};
  expect_error(tune(given), Errc::invalid_argument, "epsilon", {"-1"});
  given = options();
  given.largest_loss = -1;
  expect_error(tune(given), Errc::invalid_argument, "max_loss", {"-1"});
  given = options();
  given.mechanisms = {"gumbel"};
  given.grid = {{"calibration", {"theorem"}}};
  given.epsilons = {1};
  expect_error(tune(given), Errc::invalid_argument, {"epsilon"});
}

}  // namespace
}  // namespace sotto::testing
