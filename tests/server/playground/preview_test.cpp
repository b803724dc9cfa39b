#include "playground/preview.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "playground/preview_json.hpp"

namespace sotto::server {
namespace {

constexpr const char* kText = "The doctor met Anna Schmidt in Munich on 12 May 2021. She paid 300 euros.";

PreviewRequest request_for(const std::string& text, std::vector<double> epsilons = {1}) {
  PreviewRequest request;
  request.text = text;
  request.epsilons = std::move(epsilons);
  return request;
}

Preview previewed(Previewer& previewer, const PreviewRequest& request) {
  auto preview = previewer.preview(request);
  EXPECT_TRUE(preview) << preview.error().message;
  EXPECT_NE(*preview, nullptr);
  return std::move(**preview);
}

std::string parameter_at_fault(const PreviewRequest& request) {
  Previewer previewer;
  const auto preview = previewer.preview(request);
  return preview ? "" : preview.error().parameter;
}

TEST(PreviewEpsilon, IsRoundedToTwoDigits) {
  EXPECT_EQ(*preview_epsilon(1.234), 1.2);
  EXPECT_EQ(*preview_epsilon(0.0019), 0.0019);
  EXPECT_EQ(*preview_epsilon(0.996), 1);
  EXPECT_EQ(*preview_epsilon(667), 670);
  EXPECT_EQ(*preview_epsilon(1000), 1000);
  for (const double bad : {0.0, -1.0, 1e-4, 1001.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_FALSE(preview_epsilon(bad)) << bad;
}

TEST(Previews, PairTokensAndSaySoInTheirFigures) {
  Previewer previewer;
  const Preview preview = previewed(previewer, request_for(kText, {0.1, 1, 4}));
  ASSERT_EQ(preview.settings.size(), 3U);
  EXPECT_TRUE(preview.pending.empty());
  ASSERT_TRUE(preview.typical);
  for (const PreviewSetting& setting : preview.settings) {
    ASSERT_EQ(setting.outputs.size(), preview.tokens.size());
    EXPECT_EQ(setting.draws, 12U);
    EXPECT_EQ(setting.sentence_draws, 9U);
    ASSERT_TRUE(setting.loss);
    EXPECT_NEAR(setting.loss->epsilon, 12 * setting.epsilon, 1e-9);
    EXPECT_TRUE(setting.attacker);
    EXPECT_NE(setting.guarantee.kind, GuaranteeKind::none);
  }
  EXPECT_LT(*preview.settings[0].kept, *preview.settings[2].kept);
}

TEST(Previews, RepeatUnlessAnotherDrawIsAskedFor) {
  Previewer one;
  Previewer other;
  PreviewRequest request = request_for(kText, {0.1});
  const std::string first = previewed(one, request).settings[0].text;
  EXPECT_EQ(previewed(other, request).settings[0].text, first);  // the noise is public
  request.draw = 1;
  EXPECT_NE(previewed(one, request).settings[0].text, first);
}

TEST(Previews, MarkWhatPassesInClearExactlyAsThePolicyCounts) {
  PreviewRequest request = request_for("The doctor met xqzzt99 on 12 May, and don\u2019t you forget it.");
  request.options.policy = Policy::paper();
  Previewer previewer;
  const Preview preview = previewed(previewer, request);
  const PreviewSetting& setting = preview.settings[0];
  ASSERT_EQ(setting.outputs.size(), preview.tokens.size());
  std::uint64_t hidden = 0;
  for (std::size_t i = 0; i < preview.tokens.size(); ++i) {
    if (preview.tokens[i].clear)
      EXPECT_EQ(folded(setting.outputs[i]), folded(preview.tokens[i].place.text));
    else
      ++hidden;
  }
  EXPECT_EQ(hidden, setting.draws);
  EXPECT_LT(hidden, preview.tokens.size() - 4);
}

TEST(Previews, RefuseTextsThatAreTooLong) {
  std::string text;
  for (std::size_t i = 0; i < kMostPreviewCharacters; ++i) text += "\u00E9";
  Previewer previewer;
  EXPECT_TRUE(previewer.preview(request_for(text)));
  EXPECT_EQ(parameter_at_fault(request_for(text + "x")), "text");
  EXPECT_EQ(parameter_at_fault(request_for(std::string(1 << 20, 'x'))), "text");
  EXPECT_EQ(parameter_at_fault(request_for("\xFF")), "text");
}

TEST(Previews, TakeAnyTextWithinTheLimit) {
  Previewer previewer;
  std::string many;
  while (many.size() < kMostPreviewCharacters) many += "a ";
  many.pop_back();
  for (const std::string text : {std::string(), std::string("  \n\t "), many, std::string(2000, '.'),
                                 std::string("\u202Eabc\u200B\u2066 <script>alert(1)</script> \U0001F600")}) {
    const Preview preview = previewed(previewer, request_for(text));
    EXPECT_EQ(preview.settings.size(), 1U);
    EXPECT_TRUE(nlohmann::json::accept(to_json(preview)));
  }
}

TEST(Previews, RefuseWhatIsNoText) {
  Previewer previewer;
  EXPECT_FALSE(previewer.preview(request_for(std::string("a\0b", 3))));
}

TEST(Previews, RefuseWhatNamesFiles) {
  PreviewRequest request = request_for(kText);
  request.options.mechanism.model = "/etc/passwd";
  EXPECT_EQ(parameter_at_fault(request), "model");
  request.options.mechanism.model = "./models";
  EXPECT_EQ(parameter_at_fault(request), "model");
  request = request_for(kText);
  request.options.mechanism.name = "syntf";
  request.options.mechanism.parameters = {{"wordnet", "."}};
  EXPECT_EQ(parameter_at_fault(request), "parameters.wordnet");
  request.options.mechanism.name = "dp-mlm";
  request.options.mechanism.parameters = {{"encoder", "../elsewhere"}};
  EXPECT_EQ(parameter_at_fault(request), "parameters.encoder");
}

TEST(Previews, RefuseWhatIsUnknownOrTooMuch) {
  PreviewRequest request = request_for(kText, std::vector<double>(kMostPreviewEpsilons + 1, 1));
  EXPECT_EQ(parameter_at_fault(request), "epsilons");
  EXPECT_EQ(parameter_at_fault(request_for(kText, {})), "epsilons");
  request = request_for(kText);
  request.options.mechanism.name = "nonesuch";
  EXPECT_EQ(parameter_at_fault(request), "mechanism");
  request.options.mechanism.name = "gumbel";
  EXPECT_EQ(parameter_at_fault(request), "mechanism");
}

TEST(Previews, OfLanguageModelsHaveNoFigureForSentences) {
  PreviewRequest request = request_for("The soup was cold. Nobody came.", {5});
  request.options.mechanism.name = "dp-mlm";
  Previewer previewer;
  const Preview preview = previewed(previewer, request);
  EXPECT_EQ(preview.kind, MechanismKind::masked);
  EXPECT_EQ(preview.settings[0].sentence_draws, 0U);
  EXPECT_FALSE(preview.settings[0].sentence_loss);
  EXPECT_EQ(preview.settings[0].draws, 6U);
}

TEST(Previews, OfNewTextsAreShort) {
  PreviewRequest request = request_for(std::string(kMostGeneratedCharacters + 1, 'x'), {50});
  request.options.mechanism.name = "dp-paraphrase";
  EXPECT_EQ(parameter_at_fault(request), "text");
}

/// All that the page offers, with the memory that a preview has. Whether WordNet is there depends on the
/// machine.
TEST(Previews, TakeEveryMechanism) {
  Previewer previewer;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.default_model.empty() || info.name == "gumbel") continue;
    PreviewRequest request = request_for("The doctor met Anna.", {10});
    request.options.mechanism.name = info.name;
    const auto preview = previewer.preview(request);
    if (info.name == "syntf" && !preview && preview.error().code == Errc::not_found) continue;
    ASSERT_TRUE(preview) << info.name << ": " << preview.error().message;
    EXPECT_EQ((*preview)->settings.size(), 1U) << info.name;
  }
}

TEST(Previews, FromSeveralThreadsAgree) {
  Previewer previewer;
  const std::string expected = previewed(previewer, request_for(kText, {0.5})).settings[0].text;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 1; i <= 40; ++i) {
        const auto preview = previewer.preview(request_for(kText, {0.1 * i, 0.5}));
        ASSERT_TRUE(preview);
        if (*preview) EXPECT_EQ((*preview)->settings.back().text, expected);
      }
    });
}

}  // namespace
}  // namespace sotto::server
