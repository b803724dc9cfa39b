// What a short text with mapped words and words without a place becomes under a fixed key, pinned. Whoever
// changes the order of draws, the draw of a place or a sampler must raise kStreamVersion and update this.
#include <map>

#include <gtest/gtest.h>

#include "pipeline/rewrite/rewriter.hpp"
#include "random/counting_key.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/table_map.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using namespace sotto::testing;

class NearestGolden : public PipelineTest {
 protected:
  NearestGolden() {
    write_tiny_model(path("tiny.safetensors"));
    write_list_set(path("short.safetensors"), letter_words(13),
                   {{"a", stepping_order(13, 1)}, {"b", stepping_order(13, 5)}});
  }

  /// Under a map and a configuration of its own, so that neither the shipped map nor versions of other parts
  /// change the key.
  std::string rewritten(const std::string& mechanism, const std::string& text, double document_epsilon = 0) {
    PrivatizeOptions with = options(document_epsilon == 0 ? 3 : 0);
    if (document_epsilon > 0) with.document_budget.emplace().epsilon = document_epsilon;
    with.mechanism.name = mechanism;
    with.mechanism.model =
        path(mechanism.starts_with("diffractor") ? "short.safetensors" : "tiny.safetensors").string();
    with.policy.letter_case = CasePolicy::lower;
    with.policy.articles = ArticlePolicy::keep;
    const auto map = table_map({{"doggy", {embed::WordPath::subword, {"dog", "wd"}}},
                                {"pizzza", {embed::WordPath::corrected, {"pizza", "wh"}}}});
    const auto context = RewriteContext::make(with, map).value();
    const random::DocumentStreams streams(counting_key(), "set", base::sha256("golden"));
    Rewriter rewriter(context);
    text::OutputBuffer out;
    Counts counts;
    rewriter.start(out, counts);
    const std::string padded = text + std::string(64, '\0');
    EXPECT_TRUE(rewriter.rewrite(streams, {std::nullopt, 1}, "text",
                                 std::string_view(padded).substr(0, text.size()), Rewriter::Lifetime::call));
    EXPECT_TRUE(rewriter.finish());
    EXPECT_GT(counts.statistics.uniform, 0U);
    EXPECT_GT(counts.statistics.subword + counts.statistics.corrected, 0U);
    return std::string(out.view());
  }

  const std::string text_ =
      "dog doggy https://x.org wd 40 pizzza, cat jane@example.org wh 17 B2B doggy \u5317\u4eac cat pizza wa";
};

TEST_F(NearestGolden, TheDrawsOfAShortText) {
  const std::map<std::string, std::string> golden = {
      {"diffractor-geometric", "wi wd wk wd 90 wh, wb wf wc 11 wb wd wm wd wl wb"},
      {"diffractor-tem", "wd wc wf wi 96 wg, wj wg wm 85 wb wd wm wd wl wb"},
      {"santext", "paris horse cat london 85 paris, cat pizza paris 96 london an paris an pizza pizza"},
      {"custext", "london horse cat london 85 paris, cat soup paris 96 london a paris an pizza pizza"},
      {"cmp", "cat horse horse london 79 the, dog soup pasta 67 the dog london pizza soup pizza"},
  };
  for (const auto& [mechanism, expected] : golden)
    EXPECT_EQ(rewritten(mechanism, text_), expected) << mechanism;
}

TEST_F(NearestGolden, TheDrawsUnderABudgetPerDocument) {
  EXPECT_EQ(rewritten("diffractor-geometric", text_, 30), "wi wd wk wd 90 wh, wb wf wc 11 wb wd wm wd wl wc");
  EXPECT_EQ(rewritten("santext", text_, 30),
            "london horse cat london 85 paris, cat soup paris 96 london a paris an pizza pizza");
}

}  // namespace
}  // namespace sotto
