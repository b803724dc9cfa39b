// Mechanisms of every kind take the same path.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pipeline/language_model_fixture.hpp"
#include "pipeline/rewrite/generation_rewriter.hpp"
#include "pipeline/rewrite/masked_rewriter.hpp"
#include "pipeline/rewrite/word_rewriter.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::LanguageModels;

/// Every registered mechanism, with a model that fits it.
class MechanismKinds : public LanguageModels {
 protected:
  MechanismKinds() {
    testing::write_tiny_model(path("vectors.safetensors"));
    std::filesystem::create_directory(path("wordnet"));
    testing::write_tiny_wordnet(path("wordnet"), {{'n', {"dog", "cat"}}, {'n', {"tea", "coffee"}}});
    write("public.txt", "abc de\nbad cab\n");
    for (const auto& [name, type] : {std::pair("causal", "gpt2"), std::pair("answering", "t5")}) {
      make_causal(name, type);
      EXPECT_TRUE(calibrate_language_model(path(name).string(), path("public.txt")));
    }
  }

  std::string model_for(const MechanismInfo& info) const {
    if (info.kind == MechanismKind::masked) return "masked";
    if (info.kind == MechanismKind::generated) return info.name == "dp-prompt" ? "answering" : "causal";
    return info.name.starts_with("diffractor") ? "lists.safetensors" : "vectors.safetensors";
  }
  PrivatizeOptions options_for(const MechanismInfo& info) const {
    PrivatizeOptions options = mlm(2, model_for(info));
    options.mechanism.name = info.name;
    if (info.name == "syntf") options.mechanism.parameters["wordnet"] = path("wordnet").string();
    return options;
  }

  static MechanismKind kind_of(const TextRewriter& rewriter) {
    if (dynamic_cast<const MaskedRewriter*>(&rewriter) != nullptr) return MechanismKind::masked;
    if (dynamic_cast<const GenerationRewriter*>(&rewriter) != nullptr) return MechanismKind::generated;
    EXPECT_NE(dynamic_cast<const WordRewriter*>(&rewriter), nullptr);
    return MechanismKind::word_by_word;
  }
};

TEST_F(MechanismKinds, DecideWhatRewrites) {
  for (const MechanismInfo& info : mechanisms()) {
    const PrivatizeOptions options = options_for(info);
    const auto made =
        TextMechanism::make(info, options, complete_parameters(info, options.mechanism.parameters).value(),
                            PinnedWordMap::shipped());
    ASSERT_TRUE(made) << info.name << ": " << describe(made.error());
    EXPECT_EQ((*made)->kind(), info.kind) << info.name;
    EXPECT_EQ(kind_of(*(*made)->make_rewriter()), info.kind) << info.name;
  }
}

// A language model draws every word whatever it is, so the two policies are one.
TEST_F(MechanismKinds, LanguageModelsTreatNearestAsBottom) {
  for (const MechanismInfo& info : mechanisms()) {
    if (info.kind == MechanismKind::word_by_word) continue;
    std::vector<std::string> outputs, digests, statements;
    for (const OovPolicy oov : {OovPolicy::nearest, OovPolicy::bottom}) {
      PrivatizeOptions options = options_for(info);
      options.policy.oov = oov;
      const auto privatizer = Privatizer::make(options).value();
      Counts counts;
      outputs.push_back(privatizer->privatize({"set", "1", "text"}, "bad, the zyx dog", counts).value());
      const Receipt receipt = privatizer->receipt(counts);
      digests.push_back(receipt.configuration_digest);
      statements.push_back(receipt.guarantee.statement);
      EXPECT_EQ(receipt.word_map_digest, "") << info.name;
      EXPECT_EQ(counts.statistics.uniform, 0U) << info.name;
      EXPECT_EQ(fmt::format("{}", fmt::join(what_leaks(receipt), " ")).find("had a place"),
                std::string::npos);
    }
    EXPECT_EQ(outputs[0], outputs[1]) << info.name;
    EXPECT_EQ(digests[0], digests[1]) << info.name;
    EXPECT_EQ(statements[0], statements[1]) << info.name;
  }
}

TEST_F(MechanismKinds, DecideWhatTheReceiptSays) {
  for (const MechanismInfo& info : mechanisms()) {
    const auto privatizer = Privatizer::make(options_for(info));
    ASSERT_TRUE(privatizer) << info.name << ": " << describe(privatizer.error());
    Counts counts;
    ASSERT_TRUE((*privatizer)->privatize({"set", "1", "text"}, "bad, the dog", counts)) << info.name;
    const Receipt receipt = (*privatizer)->receipt(counts);
    const bool words = info.kind == MechanismKind::word_by_word;
    const bool generated = info.kind == MechanismKind::generated;
    EXPECT_EQ(receipt.kind, info.kind) << info.name;
    EXPECT_EQ(receipt.language_model.has_value(), !words) << info.name;
    const auto json = nlohmann::json::parse(to_json(receipt));
    EXPECT_EQ(json.contains("language_model"), !words) << info.name;
    EXPECT_EQ(json["counts"].contains("tokens"), !generated) << info.name;
    EXPECT_EQ(json["leaks"].dump().find("whitespace") != std::string::npos, !generated) << info.name;
    if (!json["guarantee"].contains("document")) continue;
    const std::string statement = json["guarantee"]["document"]["statement"];
    EXPECT_EQ(statement.find("all draws") != std::string::npos, !words) << info.name;
    EXPECT_EQ(statement.find("each draw reads the whole text") != std::string::npos,
              info.kind == MechanismKind::masked)
        << info.name;
    EXPECT_EQ(json["guarantee"]["adjacency"].size() == 1, generated) << info.name;
    EXPECT_EQ(json["guarantee"]["document"].contains("zcdp"), !words) << info.name;
  }
}

/// Policies that between them have every setting of every part, if the mechanism has any but the usual one.
std::vector<Policy> policies_for(const MechanismInfo& info) {
  if (info.kind == MechanismKind::generated) return {Policy::strict()};
  std::vector<Policy> policies = {Policy::strict(), Policy::paper(), {}, {}, {}};
  policies[2].oov = OovPolicy::drop;
  policies[2].numbers = NumberPolicy::drop;
  policies[2].punctuation = PunctuationPolicy::drop;
  policies[3].oov = OovPolicy::bottom;
  policies[3].letter_case = CasePolicy::keep;
  policies[4].stopwords = StopwordPolicy::keep;
  policies[4].letter_case = CasePolicy::lower;
  return policies;
}

TEST_F(MechanismKinds, EveryHonestReceiptIsAccepted) {
  for (const MechanismInfo& info : mechanisms())
    for (const Policy& policy : policies_for(info))
      for (const bool budgeted : {false, true}) {
        if (budgeted && info.kind != MechanismKind::word_by_word) continue;
        SCOPED_TRACE(info.name);
        PrivatizeOptions options = options_for(info);
        options.policy = policy;
        if (budgeted) {
          options.document_budget = DocumentBudget{BudgetStrategy::words, 6, {}};
          options.mechanism.epsilon = 0;
        }
        const auto privatizer = Privatizer::make(options);
        ASSERT_TRUE(privatizer) << describe(privatizer.error());
        Counts counts;
        expect_sound((*privatizer)->receipt(counts));
        for (const char* const text : {"bad, the dog 12.50", "", "the zyx, the 7 bad cab!", "cab"})
          ASSERT_TRUE((*privatizer)->privatize({"set", text, "text"}, text, counts));
        expect_sound((*privatizer)->receipt(counts));
      }
}

}  // namespace
}  // namespace sotto
