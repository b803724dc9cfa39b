// The plugin's interface: its absence, its refusals, and threads.
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lm/torch/plugin_fixture.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

// Runs in a process of its own, because the plugin is looked up only once.
[[noreturn]] void report_backend(const std::filesystem::path& folder) {
  ::setenv("SOTTO_PLUGINS", folder.c_str(), 1);
  const Result<LanguageModelBackend*> backend = language_model_plugin();
  std::fprintf(stderr, "%s\n", backend ? "loaded" : backend.error().message.c_str());
  std::exit(backend ? 0 : 1);
}

TEST(PluginLoaderDeathTest, AbsentPluginSaysWhatIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(report_backend("/nowhere"), ::testing::ExitedWithCode(1),
              "need the plugin libsotto_lm_torch.so, which is not in /nowhere; install libtorch");
}

TEST(PluginLoaderDeathTest, FileThatIsNoLibraryIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "libsotto_lm_torch.so") << "not a library";
  EXPECT_EXIT(report_backend(folder.path()), ::testing::ExitedWithCode(1),
              "cannot load .*in 8 bits need libtorch");
}

class Border : public PluginTest {};

TEST_F(Border, RefusesInputsOutOfRange) {
  const auto model = masked(checkpoint_folder("bert"));
  ASSERT_NE(model, nullptr);
  std::vector<float> out(61);
  const auto ask = [&](const Sequence& sequence, std::uint32_t place) {
    return model->logits({&sequence, 1}, {&place, 1}, out);
  };
  expect_error(ask({{61}, {}, {}, {}}, 0), Errc::invalid_argument, {"id 61 is not from 0 to 60"});
  expect_error(ask({{-1}, {}, {}, {}}, 0), Errc::invalid_argument, {"id -1"});
  expect_error(ask({{}, {}, {}, {}}, 0), Errc::invalid_argument, {"empty"});
  expect_error(ask({{1, 2}, {0, 12}, {}, {}}, 0), Errc::invalid_argument,
               {"position 12 is not from 0 to 11"});
  expect_error(ask({{1, 2}, {}, {0, 2}, {}}, 0), Errc::invalid_argument, {"segment 2"});
  expect_error(ask({{1, 2}, {}, {}, {0, 1}}, 0), Errc::invalid_argument, {"piece 1"});
  expect_error(ask({{1, 2}, {0}, {}, {}}, 0), Errc::invalid_argument, {"2 ids but 1 position"});
  expect_error(ask({{1, 2}, {}, {}, {}}, 2), Errc::invalid_argument, {"place 2 is not from 0 to 1"});
  expect_error(ask({std::vector<std::int32_t>(13, 4), {}, {}, {}}, 0), Errc::limit, {"13 ids", "at most 12"});
  out.resize(60);
  expect_error(ask({{1}, {}, {}, {}}, 0), Errc::invalid_argument, {"61 logits each"});
}

// More ids than positions are allowed if they share positions.
TEST_F(Border, PositionsMayBeShared) {
  const auto model = masked(checkpoint_folder("bert"));
  ASSERT_NE(model, nullptr);
  Sequence twice;
  for (std::int32_t i = 0; i < 24; ++i) {
    twice.ids.push_back(i + 3);
    twice.positions.push_back(i % 12);
    twice.segments.push_back(i / 12);
  }
  std::vector<float> out(61);
  const std::uint32_t place = 20;
  EXPECT_TRUE(model->logits({&twice, 1}, {&place, 1}, out));
}

TEST_F(Border, ThreadsShareAModel) {
  const auto model = masked(checkpoint_folder("roberta-sharded"));
  ASSERT_NE(model, nullptr);
  const nlohmann::json expected = expected_of("roberta-sharded");
  const std::vector<Sequence> sequences = sequences_of(expected);
  const auto places = expected["masked"].get<std::vector<std::uint32_t>>();
  std::vector<std::vector<float>> answers(4, std::vector<float>(sequences.size() * 61));
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& answer : answers)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) EXPECT_TRUE(model->logits(sequences, places, answer));
      });
  }
  for (const std::vector<float>& answer : answers) EXPECT_EQ(answer, answers[0]);
}

TEST_F(Border, GenerationRefusesWhatDoesNotFit) {
  const auto model = backend().open_causal(checkpoint_folder("gpt2"), resources());
  ASSERT_TRUE(model.has_value());
  const std::vector<Sequence> prompts = {{{1, 2, 3}, {}, {}, {}}, {{4}, {}, {}, {}}};
  std::vector<float> logits(2 * 61);
  auto generation = (*model)->begin(prompts, logits);
  ASSERT_TRUE(generation.has_value());
  expect_error((*generation)->append(std::vector<std::int32_t>{1}, logits), Errc::invalid_argument,
               {"2 texts"});
  expect_error((*generation)->append(std::vector<std::int32_t>{1, 99}, logits), Errc::invalid_argument,
               {"id 99"});
  for (int i = 0; i < 21; ++i) ASSERT_TRUE((*generation)->append(std::vector<std::int32_t>{1, 2}, logits));
  expect_error((*generation)->append(std::vector<std::int32_t>{1, 2}, logits), Errc::limit, {"24 tokens"});
}

TEST_F(Border, AnswererGivesNoScores) {
  const auto model = backend().open_causal(checkpoint_folder("t5"), resources());
  ASSERT_TRUE(model.has_value());
  const Sequence sequence{{1, 2}, {}, {}, {}};
  std::vector<float> out(1);
  expect_error((*model)->score({&sequence, 1}, out), Errc::invalid_argument, {"GPT-2"});
}

TEST_F(Border, DeviceThatIsNotThereIsRefused) {
  const auto model = backend().open_masked(checkpoint_folder("bert"), {Device::cuda, Precision::f32, 0});
  if (!model) expect_error(model, Errc::not_found, {"device cuda", "cpu"});
}

}  // namespace
}  // namespace sotto::testing
