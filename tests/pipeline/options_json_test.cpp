// Options as JSON: each member of each struct arrives, and nothing else is accepted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sotto/options_json.hpp>

#include "support/field_count.hpp"
#include "support/option_members.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

// A new field needs a reader, a line in a schema and a line in a table below, or a reason why it has none
// (callbacks, and the key, which must not travel as text).
static_assert(field_count<PrivatizeOptions>() == 14 && field_count<DocumentBudget>() == 3);
static_assert(field_count<MechanismSpec>() == 5 && field_count<MechanismResources>() == 2);
static_assert(field_count<LanguageModelResources>() == 4 && field_count<Policy>() == 6);
static_assert(field_count<FileOptions>() == 19 && field_count<LedgerOptions>() == 5);
static_assert(field_count<ExplainOptions>() == 4 && field_count<CompareOptions>() == 2);
static_assert(field_count<TextPlace>() == 2);
static_assert(field_count<BudgetPlanOptions>() == 5 && field_count<DocumentShape>() == 2);

TEST(OptionsJson, PrivatizeOptions) {
  using O = PrivatizeOptions;
  const std::string shared = R"("document_epsilon": 7,)";
  ReaderCheck<O>(
      "privatize_options", privatize_options_from_json,
      {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
       {"epsilon", "2.5", [](const O& o) { return o.mechanism.epsilon == 2.5; }},
       {"document_epsilon", "7",
        [](const O& o) { return o.document_budget && o.document_budget->epsilon == 7; }},
       {"budget", R"("words")",
        [](const O& o) { return o.document_budget && o.document_budget->strategy == BudgetStrategy::words; },
        shared},
       {"profile", "[3, 1]",
        [](const O& o) {
          return o.document_budget && o.document_budget->profile == PositionProfile{3, 1};
        },
        R"("budget": "positions",)" + shared},
       {"collocations", R"("mst")", [](const O& o) { return o.collocations == Segmentation::mst; }},
       {"phrases", R"("p")", [](const O& o) { return o.phrases == "p"; }},
       {"target", R"("certified")", [](const O& o) { return o.target == PrivacyTarget::certified; }},
       {"parameters", R"({"k": 3, "a": "b", "c": true})",
        [](const O& o) {
          return o.mechanism.parameters == ParameterValues{{"a", "b"}, {"c", "true"}, {"k", "3"}};
        }},
       {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
       {"policy", R"("paper")", [](const O& o) { return o.policy.numbers == NumberPolicy::keep; }},
       {"stopwords", R"("keep")", [](const O& o) { return o.policy.stopwords == StopwordPolicy::keep; }},
       {"oov", R"("drop")", [](const O& o) { return o.policy.oov == OovPolicy::drop; }},
       {"numbers", R"("drop")", [](const O& o) { return o.policy.numbers == NumberPolicy::drop; }},
       {"punctuation", R"("drop")",
        [](const O& o) { return o.policy.punctuation == PunctuationPolicy::drop; }},
       {"case", R"("lower")", [](const O& o) { return o.policy.letter_case == CasePolicy::lower; }},
       {"articles", R"("keep")", [](const O& o) { return o.policy.articles == ArticlePolicy::keep; }},
       {"seed", "0", [](const O& o) { return o.seed == 0U; }},
       {"key_file", R"("k")", [](const O& o) { return o.key_file == "k"; }},
       {"unique_ids", "true", [](const O& o) { return o.unique_ids; }},
       {"max_document_bytes", "77", [](const O& o) { return o.max_document_bytes == 77; }},
       {"memory", "78", [](const O& o) { return o.mechanism.resources.memory == 78; }},
       {"threads", "3",
        [](const O& o) { return o.mechanism.resources.threads == 3 && o.language.threads == 3; }},
       {"device", R"("cuda")", [](const O& o) { return o.language.device == Device::cuda; }},
       {"precision", R"("int8")", [](const O& o) { return o.language.precision == Precision::int8; }},
       {"delta", "0.01", [](const O& o) { return o.delta == 0.01; }},
       {"epsilon_chosen_on", R"("public-text")",
        [](const O& o) { return o.epsilon_chosen_on == EpsilonBasis::public_text; }}})
      .run();
}

TEST(OptionsJson, FileOptions) {
  using O = FileOptions;
  ReaderCheck<O>(
      "file_options", file_options_from_json,
      {{"inputs", R"(["a", "b"])",
        [](const O& o) {
          return o.inputs == std::vector<std::filesystem::path>{"a", "b"};
        }},
       {"output", R"("o")", [](const O& o) { return o.output == "o"; }},
       {"report", R"("-")", [](const O& o) { return o.report == "-"; }},
       {"statistics", R"("s")", [](const O& o) { return o.statistics == "s"; }},
       {"format", R"("csv")", [](const O& o) { return o.format == Format::csv; }},
       {"encoding", R"("latin-1")", [](const O& o) { return o.encoding == "latin-1"; }},
       {"output_encoding", R"("utf-16")", [](const O& o) { return o.output_encoding == "utf-16"; }},
       {"fields", R"(["x", "/y/*"])",
        [](const O& o) {
          return o.fields == std::vector<std::string>{"x", "/y/*"};
        }},
       {"delimiter", R"("tab")", [](const O& o) { return o.delimiter == '\t'; }},
       {"no_header", "true", [](const O& o) { return o.no_header; }},
       {"missing", R"("skip")", [](const O& o) { return o.missing == MissingField::skip; }},
       {"dataset", R"("d")", [](const O& o) { return o.dataset == "d"; }},
       {"id_field", R"("i")", [](const O& o) { return o.id_field == "i"; }},
       {"threads", "5", [](const O& o) { return o.threads == 5; }},
       {"shard", R"("2/3")", [](const O& o) { return o.shard.index == 2 && o.shard.count == 3; }},
       {"ledger", R"({"file": "l", "limit": 9})",
        [](const O& o) { return o.ledger && o.ledger->file == "l" && o.ledger->limit == 9; }},
       {"resume", "true", [](const O& o) { return o.resume; }},
       {"allow_empty", "true", [](const O& o) { return o.allow_empty; }}})
      .run();
}

TEST(OptionsJson, LedgerOptions) {
  using O = LedgerOptions;
  ReaderCheck<O>("ledger_options", ledger_options_from_json,
                 {{"file", R"("l")", [](const O& o) { return o.file == "l"; }},
                  {"subject_field", R"("who")", [](const O& o) { return o.subject_field == "who"; }},
                  {"limit", "9.5", [](const O& o) { return o.limit == 9.5; }},
                  {"wait_seconds", "0.5", [](const O& o) { return o.wait_seconds == 0.5; }},
                  {"refuse_repeats", "true", [](const O& o) { return o.refuse_repeats; }}})
      .run();
}

TEST(OptionsJson, ExplainOptions) {
  using O = ExplainOptions;
  ReaderCheck<O>("explain_options", explain_options_from_json,
                 {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
                  {"epsilon", "2", [](const O& o) { return o.mechanism.epsilon == 2; }},
                  {"parameters", R"({"k": 3})",
                   [](const O& o) {
                     return o.mechanism.parameters == ParameterValues{{"k", "3"}};
                   }},
                  {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
                  {"oov", R"("bottom")", [](const O& o) { return o.oov == OovPolicy::bottom; }},
                  {"top", "3", [](const O& o) { return o.top == 3; }},
                  {"draws", "4", [](const O& o) { return o.draws == 4; }},
                  {"threads", "5", [](const O& o) { return o.mechanism.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.mechanism.resources.memory == 6; }}})
      .run();
}

TEST(OptionsJson, CompareOptions) {
  using O = CompareOptions;
  ReaderCheck<O>(
      "compare_options", compare_options_from_json,
      {{"mechanism", R"("tem")", [](const O& o) { return o.explain.mechanism.name == "tem"; }},
       {"epsilons", "[1, 2.5]",
        [](const O& o) {
          return o.epsilons == std::vector<double>{1, 2.5};
        }},
       {"parameters", R"({"k": "3"})", [](const O& o) { return !o.explain.mechanism.parameters.empty(); }},
       {"model", R"("m")", [](const O& o) { return o.explain.mechanism.model == "m"; }},
       {"oov", R"("bottom")", [](const O& o) { return o.explain.oov == OovPolicy::bottom; }},
       {"top", "3", [](const O& o) { return o.explain.top == 3; }},
       {"draws", "4", [](const O& o) { return o.explain.draws == 4; }},
       {"threads", "5", [](const O& o) { return o.explain.mechanism.resources.threads == 5; }},
       {"memory", "6", [](const O& o) { return o.explain.mechanism.resources.memory == 6; }}})
      .run();
}

TEST(OptionsJson, TextPlace) {
  using O = TextPlace;
  ReaderCheck<O>("text_place", text_place_from_json,
                 {{"text", R"("The soup.")", [](const O& o) { return o.text == "The soup."; }},
                  {"word", "2", [](const O& o) { return o.word == 2; }}})
      .run();
}

TEST(OptionsJson, BudgetPlanOptions) {
  using O = BudgetPlanOptions;
  ReaderCheck<O>("budget_plan_options", budget_plan_options_from_json,
                 {{"mechanism", R"("tem")", [](const O& o) { return o.mechanism.name == "tem"; }},
                  {"epsilon", "2", [](const O& o) { return o.mechanism.epsilon == 2; }},
                  {"parameters", R"({"k": 3})", [](const O& o) { return !o.mechanism.parameters.empty(); }},
                  {"model", R"("m")", [](const O& o) { return o.mechanism.model == "m"; }},
                  {"threads", "5", [](const O& o) { return o.mechanism.resources.threads == 5; }},
                  {"memory", "6", [](const O& o) { return o.mechanism.resources.memory == 6; }},
                  {"budget", R"("S2")", [](const O& o) { return o.strategy == BudgetStrategy::words; }},
                  {"profile", "[2, 1]",
                   [](const O& o) {
                     return o.profile == PositionProfile{2, 1};
                   }},
                  {"tokens", "7", [](const O& o) { return o.shape.tokens == 7 && o.shape.words == 7; }},
                  {"words", "8", [](const O& o) { return o.shape.words == 8; }},
                  {"delta", "0.25", [](const O& o) { return o.delta == 0.25; }}})
      .run();
}

TEST(OptionsJson, NeverHoldTheKey) {
  expect_error(privatize_options_from_json(fmt::format(R"({{"key": "{}"}})", std::string(32, 'k'))),
               Errc::invalid_argument, "key", {"no such option", "did you mean 'key_file'?"});
}

TEST(OptionsJson, NameMembersOfMembers) {
  expect_error(file_options_from_json(R"({"ledger": {"file": "l", "limits": 3}})"), Errc::invalid_argument,
               "ledger.limits", {"did you mean 'limit'?"});
  expect_error(file_options_from_json(R"({"ledger": {"limit": "3"}})"), Errc::invalid_argument,
               "ledger.limit", {"must be a number"});
  expect_error(file_options_from_json(R"({"fields": ["a", 3]})"), Errc::invalid_argument, "fields[1]",
               {"must be a string"});
  expect_error(privatize_options_from_json(R"({"parameters": {"k": [1]}})"), Errc::invalid_argument,
               "parameters.k", {"must be a string"});
  expect_error(privatize_options_from_json(R"({"epsilno": 1})"), Errc::invalid_argument, "epsilno",
               {"did you mean 'epsilon'?"});
}

TEST(OptionsJson, ListsHaveAnEnd) {
  std::string fields = "\"a\"";
  for (int i = 0; i < 1'000'000; ++i) fields += ",\"a\"";
  expect_error(file_options_from_json("{\"fields\": [" + fields + "]}"), Errc::invalid_argument, "fields",
               {"1000001 values", "at most 10000"});
}

}  // namespace
}  // namespace sotto
