// Options of audits and attacks as JSON, and limits that only the command line used to check.
#include <cmath>

#include <gtest/gtest.h>

#include <sotto/options_json.hpp>

#include "support/field_count.hpp"
#include "support/option_members.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

// As in tests/pipeline/options_json_test.cpp: a new field needs a reader.
static_assert(field_count<CertifyOptions>() == 3 && field_count<ExactAuditOptions>() == 2);
static_assert(field_count<BlackBoxOptions>() == 14 && field_count<AttackOptions>() == 10);
static_assert(field_count<InputGuessOptions>() == 6);
static_assert(field_count<MaskInferenceOptions>() == 5);

TEST(AuditOptionsJson, ExactAuditOptions) {
  using O = ExactAuditOptions;
  ReaderCheck<O>(
      "exact_audit_options", exact_audit_options_from_json,
      {{"mechanism", R"("tem")", [](const O& o) { return o.certify.mechanism.name == "tem"; }},
       {"epsilon", "2", [](const O& o) { return o.certify.mechanism.epsilon == 2; }},
       {"parameters", R"({"k": 3})", [](const O& o) { return !o.certify.mechanism.parameters.empty(); }},
       {"model", R"("m")", [](const O& o) { return o.certify.mechanism.model == "m"; }},
       {"threads", "5", [](const O& o) { return o.certify.mechanism.resources.threads == 5; }},
       {"memory", "6", [](const O& o) { return o.certify.mechanism.resources.memory == 6; }},
       {"sample", "7", [](const O& o) { return o.certify.sample == 7; }},
       {"target", R"("certified")", [](const O& o) { return o.target == PrivacyTarget::certified; }}})
      .run();
}

TEST(AuditOptionsJson, BlackBoxOptions) {
  using O = BlackBoxOptions;
  using Texts = std::vector<std::pair<std::string, std::string>>;
  ReaderCheck<O>(
      "black_box_options", black_box_options_from_json,
      {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
       {"epsilon", "2", [](const O& o) { return o.mechanism.epsilon == 2; }},
       {"parameters", R"({"k": 3})", [](const O& o) { return !o.mechanism.parameters.empty(); }},
       {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
       {"threads", "5", [](const O& o) { return o.mechanism.resources.threads == 5; }},
       {"memory", "6", [](const O& o) { return o.mechanism.resources.memory == 6; }},
       {"through", R"("document")", [](const O& o) { return o.path == AuditPath::document; }},
       {"policy", R"("paper")", [](const O& o) { return o.policy.oov == OovPolicy::keep; }},
       {"oov", R"("bottom")", [](const O& o) { return o.policy.oov == OovPolicy::bottom; }},
       {"command", R"("cat")", [](const O& o) { return o.command == "cat" && o.path == AuditPath::command; }},
       {"timeout", "0.5", [](const O& o) { return o.timeout == 0.5; }},
       {"metric", R"("pure")", [](const O& o) { return o.metric == "pure"; }},
       {"draws", "44", [](const O& o) { return o.draws == 44; }},
       {"pairs", "3", [](const O& o) { return o.pairs == 3; }},
       {"runs", "9", [](const O& o) { return o.runs == 9; }},
       {"confidence", "0.75", [](const O& o) { return o.confidence == 0.75; }},
       {"vocabulary_only", "true", [](const O& o) { return o.vocabulary_only; }},
       {"texts", R"([["a", "b"], ["c", "d"]])",
        [](const O& o) {
          return o.texts == Texts{{"a", "b"}, {"c", "d"}};
        }},
       {"seed", "0", [](const O& o) { return o.seed == 0U; }}})
      .run();
}

TEST(AuditOptionsJson, InputGuessOptions) {
  using O = InputGuessOptions;
  ReaderCheck<O>("input_guess_options", input_guess_options_from_json,
                 {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
                  {"epsilon", "2", [](const O& o) { return o.mechanism.epsilon == 2; }},
                  {"parameters", R"({"k": 3})", [](const O& o) { return !o.mechanism.parameters.empty(); }},
                  {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
                  {"threads", "5", [](const O& o) { return o.mechanism.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.mechanism.resources.memory == 6; }},
                  {"prior", R"("counts")", [](const O& o) { return o.prior == "counts"; }},
                  {"guesses", "3", [](const O& o) { return o.guesses == 3; }},
                  {"neighbours", "4", [](const O& o) { return o.neighbours == 4; }},
                  {"draws", "5", [](const O& o) { return o.draws == 5; }},
                  {"seed", "6", [](const O& o) { return o.seed == 6; }}})
      .run();
}

TEST(AuditOptionsJson, AttackOptions) {
  using O = AttackOptions;
  ReaderCheck<O>("attack_options", attack_options_from_json,
                 {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
                  {"epsilon", "2", [](const O& o) { return o.mechanism.epsilon == 2; }},
                  {"parameters", R"({"k": 3})", [](const O& o) { return !o.mechanism.parameters.empty(); }},
                  {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
                  {"threads", "5", [](const O& o) { return o.mechanism.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.mechanism.resources.memory == 6; }},
                  {"attacks", R"(["bayes", "nearest"])",
                   [](const O& o) {
                     return o.attacks == std::vector<std::string>{"bayes", "nearest"};
                   }},
                  {"words", "0", [](const O& o) { return o.words == 0; }},
                  {"prior", R"("counts")", [](const O& o) { return o.prior == "counts"; }},
                  {"neighbours", "3", [](const O& o) { return o.neighbours == 3; }},
                  {"draws", "4", [](const O& o) { return o.draws == 4; }},
                  {"trials", "5", [](const O& o) { return o.trials == 5; }},
                  {"confidence", "0.75", [](const O& o) { return o.confidence == 0.75; }},
                  {"seed", "8", [](const O& o) { return o.seed == 8U; }}})
      .run();
}

TEST(AuditOptionsJson, MaskInferenceOptions) {
  using O = MaskInferenceOptions;
  ReaderCheck<O>(
      "mask_inference_options", mask_inference_options_from_json,
      {{"model", R"("m")", [](const O& o) { return o.model == "m"; }},
       {"neighbours", "3", [](const O& o) { return o.candidates == 3; }},
       {"confidence", "0.75", [](const O& o) { return o.confidence == 0.75; }},
       {"device", R"("cuda")", [](const O& o) { return o.resources.device == Device::cuda; }},
       {"precision", R"("f32")", [](const O& o) { return o.resources.precision == Precision::f32; }},
       {"threads", "5", [](const O& o) { return o.resources.threads == 5; }}})
      .run();
}

TEST(AuditOptionsJson, ACommandReplacesTheMechanism) {
  for (const std::string other : {R"("through": "document")", R"("parameters": {"k": 3})"})
    expect_error(black_box_options_from_json(R"({"command": "cat", )" + other + "}"), Errc::invalid_argument,
                 "command", {"through document or parameters"});
  EXPECT_TRUE(black_box_options_from_json(R"({"command": "cat", "through": "mechanism"})"));
}

TEST(AuditOptionsJson, TextsArePairs) {
  for (const std::string texts : {R"([["a"]])", R"([["a", "b", "c"]])", R"([["a", 1]])", R"(["a", "b"])"})
    EXPECT_FALSE(black_box_options_from_json(R"({"texts": )" + texts + "}")) << texts;
}

TEST(AuditLimits, OneInputIsNoSample) {
  CertifyOptions options;
  options.mechanism.epsilon = 1;
  for (const std::uint64_t sample : {std::uint64_t{1}, kLargestSample + 1}) {
    options.sample = sample;
    expect_error(certify(options), Errc::invalid_argument, "sample", {"from 2 to 1000000000"});
  }
}

TEST(AuditLimits, TimeForACommand) {
  BlackBoxOptions options;
  options.path = AuditPath::command;
  options.mechanism.epsilon = 1;
  options.command = "cat";
  for (const double seconds : {0.0, -1.0, 1e308, std::nan("")}) {
    options.timeout = seconds;
    expect_error(audit_black_box(options), Errc::invalid_argument, "timeout", {"from 0.1 to 86400"});
  }
}

}  // namespace
}  // namespace sotto
