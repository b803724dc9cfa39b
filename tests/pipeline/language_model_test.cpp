// Whole texts through the pipeline, with a language model.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "pipeline/language_model_fixture.hpp"
#include "pipeline/rewrite/masked_rewriter.hpp"
#include "privacy/nano_epsilon.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;
using testing::LanguageModels;

TEST_F(LanguageModels, WordsAreDrawnAndTheRestFollowsThePolicy) {
  constexpr double kCertain = 1e5;  // only the favourite comes out, whatever the noise
  make_masked("favourite", R"("range": 10, "favourite": 13)");
  Counts counts;
  EXPECT_EQ(
      rewrite("The waiter, 123 zyx.  Was it  cold? \n", mlm(kCertain, "favourite"), &counts).substr(0, 11),
      "Soup soup, ");
  EXPECT_EQ(counts.words, 6U);
  EXPECT_EQ(counts.privatized, 6U);
  EXPECT_EQ(counts.statistics.changed, 6U);
  EXPECT_EQ(counts.statistics.bottom, 2U);  // zyx, it
  EXPECT_EQ(counts.randomized_numbers, 1U);
  EXPECT_EQ(counts.clear_punctuation, 3U);
  PrivatizeOptions lower = mlm(kCertain, "favourite");
  lower.policy.letter_case = CasePolicy::lower;
  EXPECT_EQ(rewrite("The waiter!", lower), "soup soup!");
  lower.policy.letter_case = CasePolicy::keep;
  EXPECT_EQ(rewrite("THE Waiter was", lower), "SOUP Soup soup");
  PrivatizeOptions paper = mlm(kCertain, "favourite");
  paper.policy = Policy::paper();
  EXPECT_EQ(rewrite("The waiter, 123 zyx.", paper), "The soup, 123 zyx.");
}

TEST_F(LanguageModels, WhatIsOutsideTheOutputSetNeverComesOut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 2 == 0 ? "Zaphod " : "x@y.org ";
  for (const double epsilon : {1.0, 25.0, 250.0}) {
    const std::string out = rewrite(text, mlm(epsilon));
    EXPECT_EQ(out.find("Zaphod"), std::string::npos);
    EXPECT_EQ(out.find('@'), std::string::npos);
    EXPECT_EQ(words(out).size(), 300U + 0U);
  }
}

TEST_F(LanguageModels, KeepingWordsLeavesNoGuarantee) {
  for (const bool stopwords : {true, false}) {
    PrivatizeOptions options = mlm(10);
    if (stopwords)
      options.policy.stopwords = StopwordPolicy::keep;
    else
      options.policy.oov = OovPolicy::drop;
    const Receipt receipt = Privatizer::make(options).value()->receipt();
    EXPECT_EQ(receipt.guarantee.kind, GuaranteeKind::none);
    const auto json = nlohmann::json::parse(to_json(receipt));
    EXPECT_EQ(json["guarantee"]["holds"], false);
    EXPECT_FALSE(json["guarantee"].contains("document"));  // there is nothing to sum
  }
}

TEST_F(LanguageModels, PlusChangesTheLength) {
  PrivatizeOptions options = mlm(10);
  options.mechanism.name = "dp-mlm-plus";
  options.mechanism.parameters = {{"deletion", "1"}, {"addition", "0"}};
  Counts counts;
  EXPECT_EQ(rewrite("the soup was cold", options, &counts), "");
  EXPECT_EQ(counts.privatized, 0U);
  options.mechanism.parameters = {{"deletion", "0"}, {"addition", "1"}};
  counts = {};
  EXPECT_EQ(words(rewrite("the soup was cold", options, &counts)).size(), 8U);
  EXPECT_EQ(counts.privatized, 8U);
  EXPECT_EQ(counts.largest_document, 8U);
  options.mechanism.parameters = {{"deletion", "1"}, {"addition", "1"}};
  const std::string out = rewrite("the soup. was cold", options);
  EXPECT_EQ(words(out).size(), 4U);
  EXPECT_TRUE(std::isupper(static_cast<unsigned char>(out[0]))) << out;
}

TEST_F(LanguageModels, EveryFormatAndEveryThreadCountGivesTheSame) {
  std::string text, jsonl;
  for (int i = 0; i < 400; ++i) {
    const std::string line = i % 3 == 0   ? "The soup was cold."
                             : i % 3 == 1 ? "I good bad waiter, 42 warm!"
                                          : "";
    text += line + "\n";
    jsonl += R"({"n": )" + std::to_string(i) + R"(, "t": ")" + line + "\"}\n";
  }
  write("in.txt", text);
  write("in.jsonl", jsonl);
  for (const char* mode : {"parallel", "sequential"}) {
    PrivatizeOptions options = mlm(10);
    options.mechanism.parameters["mode"] = mode;
    FileOptions one = files("in.txt", "one.txt");
    one.threads = 1;
    FileOptions four = files("in.txt", "four.txt");
    four.threads = 4;
    const std::string first = run(options, one);
    EXPECT_EQ(run(options, four), first);
    EXPECT_NE(first, text);
    FileOptions records = files("in.jsonl", "out.jsonl");
    records.fields = {"t"};
    records.dataset = "in.txt";
    const std::string out = run(options, records);
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 400);
    EXPECT_NE(out.find("\"n\": 399"), std::string::npos);
  }
}

TEST_F(LanguageModels, ProgressIsReportedWithinAChunkAndCanStopIt) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "The soup was cold. The waiter was good.\n";  // less than a chunk
  write("long.txt", text);
  FileOptions run = files("long.txt", "long.out");
  std::vector<std::uint64_t> done;
  run.progress = [&](std::uint64_t bytes, std::uint64_t total) {
    EXPECT_EQ(total, text.size());
    done.push_back(bytes);
    return true;
  };
  ASSERT_TRUE(privatize_files(mlm(10), run));
  EXPECT_GE(done.size(), 4U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GT(done.front(), 0U);
  EXPECT_LT(done.front(), text.size() / 2);
  EXPECT_EQ(done.back(), text.size());
  std::filesystem::remove(path("long.out"));
  std::size_t calls = 0;
  run.progress = [&](std::uint64_t, std::uint64_t) { return ++calls < 2; };
  const auto stopped = privatize_files(mlm(10), run);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::interrupted);
  EXPECT_EQ(describe(stopped.error()), "interrupted");
  EXPECT_EQ(calls, 2U);
  EXPECT_FALSE(std::filesystem::exists(path("long.out")));
}

TEST_F(LanguageModels, ACallerCanStopBetweenTheBatchesOfAModel) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "The soup was cold.\n";
  write("long.txt", text);
  std::atomic<int> asked = 0;
  PrivatizeOptions options = mlm(10);
  options.language.go_on = [&] { return ++asked < 5; };
  const FileOptions run = files("long.txt", "long.out");
  const auto stopped = privatize_files(options, run);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::interrupted);
  EXPECT_EQ(asked, 5);
}

TEST_F(LanguageModels, TheReceiptStatesDrawsAndBoundedRange) {
  write("in.txt", "the soup was cold\nsoup\n");
  PrivatizeOptions options = mlm(25);
  options.delta = 1e-5;
  const auto json =
      nlohmann::json::parse(to_json(privatize_files(options, files("in.txt", "out.txt")).value()));
  EXPECT_EQ(json["mechanism"]["name"], "dp-mlm");
  EXPECT_EQ(json["mechanism"]["parameters"]["mode"], "auto");
  EXPECT_EQ(json["guarantee"]["kind"], "analytic");
  EXPECT_EQ(json["guarantee"]["unit"]["epsilon"], "pure");
  EXPECT_EQ(json["guarantee"]["epsilon_per_token"], 25);
  const auto& document = json["guarantee"]["document"];
  EXPECT_NEAR(document["epsilon_sum_max"].get<double>(), 100, 1e-9);
  EXPECT_NEAR(document["zcdp"]["rho_max"].get<double>(), 4 * 25.0, 1e-9);
  EXPECT_EQ(document["zcdp"]["delta"], 1e-5);
  EXPECT_LE(document["zcdp"]["epsilon_max"].get<double>(), 100 + 2 * std::sqrt(100 * std::log(1e5)));
  EXPECT_EQ(json["language_model"]["device"], "cpu");
  EXPECT_EQ(json["language_model"]["law"], "bounded");
  EXPECT_EQ(json["language_model"]["logits"]["bounded_by"], "architecture");
  EXPECT_EQ(json["language_model"]["outcomes"], 9);
  EXPECT_EQ(json["model"]["name"], "masked");
  EXPECT_EQ(json["model"]["digest"].get<std::string>().size(), 64U);
}

// The same key, texts and settings, but different scores, as on another processor.
TEST_F(LanguageModels, TheLedgerIsChargedForEachOutputOfADocument) {
  write("in.jsonl", "{\"who\": \"a\", \"t\": \"the soup was cold and the waiter was good\"}\n");
  FileOptions to = files("in.jsonl", "out.jsonl");
  to.fields = {"t"};
  to.ledger = LedgerOptions{path("ledger"), "who", 1000, 10};
  const auto run_with = [&](bool other_kernels) {
    if (other_kernels) ::setenv("SOTTO_FAKE_KERNELS", "1", 1);
    const Receipt receipt = privatize_files(mlm(3), to).value();
    ::unsetenv("SOTTO_FAKE_KERNELS");
    return std::pair(read("out.jsonl"), receipt.ledger->charged_documents);
  };
  const auto first = run_with(false);
  const auto second = run_with(true);
  EXPECT_NE(second.first, first.first);
  EXPECT_EQ(first.second, 1U);
  EXPECT_EQ(second.second, 1U);
  for (const bool other : {false, true}) {
    const auto again = run_with(other);
    EXPECT_EQ(again.first, other ? second.first : first.first);
    EXPECT_EQ(again.second, 0U);
  }
  const auto accounts = Ledger::open(path("ledger")).value()->accounts_of("a").value();
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0].spent, 2 * 9 * 3'000'000'000);
}

TEST_F(LanguageModels, TheLedgerIsChargedForEachDraw) {
  write("in.jsonl",
        "{\"who\": \"alice\", \"text\": \"the soup was cold\"}\n{\"who\": \"bob\", \"text\": \"12\"}\n");
  FileOptions to = files("in.jsonl", "out.jsonl");
  to.fields = {"text"};
  to.ledger = LedgerOptions{path("ledger"), "who", 1000, 10};
  ASSERT_TRUE(privatize_files(mlm(2.5), to));
  std::map<std::string, NanoEpsilon> accounts;
  ASSERT_TRUE(
      Ledger::open(path("ledger")).value()->each_account([&](const LedgerAccount& account) -> Result<void> {
        accounts[account.subject] = account.spent;
        return {};
      }));
  EXPECT_EQ(accounts, (std::map<std::string, NanoEpsilon>{{"alice", 10'000'000'000}}));
  PrivatizeOptions keeping = mlm(1);
  keeping.policy = Policy::paper();
  expect_error(privatize_files(keeping, to), Errc::invalid_argument, "ledger", {"no differential privacy"});
}

TEST_F(LanguageModels, AGpuDrawsForSeveralThreads) {
  // Several chunks, documents of many lengths; the same output whatever the threads, and other noise than
  // that of draws made here.
  make_masked("balanced", R"("range": 10, "balanced": true)");
  const std::vector<std::string> some = {"soup", "cold", "xyz", "the 12", "waiter,"};
  std::string text;
  for (std::size_t i = 0; text.size() < 1'300'000; ++i)
    text += some[i * i % 5] + (i % (3 + i / 5000) == 0 ? "\n" : " ");
  write("long.txt", text);
  PrivatizeOptions options = mlm(5, "balanced");
  options.mechanism.parameters = {{"law", "balanced"}};
  const std::string on_processor = configuration(options);
  options.language.device = Device::cuda;
  EXPECT_NE(configuration(options), on_processor);
  const auto rewritten = [&](unsigned threads) {
    FileOptions run = files("long.txt", "long.out");
    run.threads = threads;
    const Receipt receipt = privatize_files(options, run).value();
    EXPECT_EQ(receipt.language_model->device, "cuda");
    EXPECT_EQ(receipt.guarantee.kind, GuaranteeKind::analytic);
    return read("long.out");
  };
  const std::string alone = rewritten(1);
  EXPECT_EQ(words(alone).size(), words(text).size());
  EXPECT_EQ(alone.find("xyz"), std::string::npos);
  for (const unsigned threads : {4U, 0U}) EXPECT_EQ(rewritten(threads), alone);
}

TEST(DocumentBits, AreManyInFewMappings) {
  // A process may have some 65,000 mappings, and each of its threads holds thousands of documents.
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  const auto before = mappings();
  DocumentBits bits;
  std::vector<random::ChaChaBitSource*> sources;
  for (int round = 0; round < 2; ++round) {
    sources.clear();
    for (std::uint64_t i = 0; i < 5'000; ++i) sources.push_back(&bits.add(random::key_from_seed(i), 1));
    EXPECT_LE(mappings() - before, 1'000);
    for (const std::uint64_t i : {0U, 63U, 64U, 4'999U}) {
      random::ChaChaBitSource alone(random::key_from_seed(i));
      for (int k = 0; k < 100; ++k) ASSERT_EQ(sources[i]->next(), alone.next());
    }
    bits.clear();
  }
}

TEST_F(LanguageModels, AGpuIsInterruptedBetweenBatches) {
  make_masked("balanced", R"("range": 10, "balanced": true)");
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "The soup was cold.\n";
  write("long.txt", text);
  PrivatizeOptions options = mlm(5, "balanced");
  options.mechanism.parameters = {{"law", "balanced"}};
  options.language.device = Device::cuda;
  std::atomic<int> asked = 0;
  options.language.go_on = [&] { return ++asked < 5; };
  const auto stopped = privatize_files(options, files("long.txt", "long.out"));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::interrupted) << stopped.error().message;
}

TEST_F(LanguageModels, FreeLogitsNeedACalibrationOnAnotherText) {
  make_masked("free", R"("max_position_embeddings": 64)");
  write("public.txt", "the waiter was good\nthe soup was bad\n");
  write("in.txt", "the soup was cold\n");
  expect_error(Privatizer::make(mlm(10, "free")), Errc::not_found, {"lm calibrate (model: ", "free"});
  const auto info = calibrate_language_model(path("free").string(), path("public.txt")).value();
  EXPECT_EQ(info.kind, "masked");
  EXPECT_FALSE(info.bounded);
  ASSERT_TRUE(info.calibration);
  EXPECT_EQ(info.calibration->texts, 2U);
  EXPECT_NEAR(info.calibration->highest - info.calibration->lowest, 4 * info.calibration->deviation, 1e-3);
  EXPECT_EQ(language_model_info(path("free").string()).value().calibration->highest,
            info.calibration->highest);
  const auto json =
      nlohmann::json::parse(to_json(privatize_files(mlm(10, "free"), files("in.txt", "out.txt")).value()));
  EXPECT_EQ(json["language_model"]["logits"]["bounded_by"], "clipping");
  EXPECT_EQ(json["language_model"]["calibration_text_sha256"], info.calibration->text_digest);
  expect_error(privatize_files(mlm(10, "free"), files("public.txt", "out2.txt")), Errc::invalid_argument,
               {"public.txt", "this very text"});
  expect_error(calibrate_language_model(path("masked").string(), path("public.txt")), Errc::invalid_argument,
               {"needs no calibration", "[0, 10]"});
}

TEST_F(LanguageModels, TextsAreWrittenAnew) {
  make_causal("causal", "gpt2");
  make_causal("answering", "t5");
  write("public.txt", "abc de\nbad cab\n");
  PrivatizeOptions options = mlm(10, "causal");
  options.mechanism.name = "dp-paraphrase";
  expect_error(Privatizer::make(options), Errc::not_found, {"lm calibrate"});
  ASSERT_TRUE(calibrate_language_model(path("causal").string(), path("public.txt")));
  ASSERT_TRUE(calibrate_language_model(path("answering").string(), path("public.txt")));
  write("in.txt", "bed bad cab\nab\n\n");
  const Receipt receipt = privatize_files(options, files("in.txt", "out.txt")).value();
  EXPECT_EQ(receipt.counts.privatized, 13U);
  EXPECT_EQ(receipt.counts.largest_document, 11U);
  const std::string out = read("out.txt");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
  const auto json = nlohmann::json::parse(to_json(receipt));
  EXPECT_EQ(json["leaks"].dump().find("punctuation"), std::string::npos);
  EXPECT_NE(json["leaks"].dump().find("how many tokens"), std::string::npos);
  options.mechanism.parameters["length"] = "5";
  EXPECT_EQ(privatize_files(options, files("in.txt", "out.txt")).value().counts.privatized, 15U);
  options.mechanism.parameters["length"] = "x";
  expect_error(Privatizer::make(options), Errc::invalid_argument, "parameters.length", {"'x'"});
  options.mechanism.parameters.clear();
  options.mechanism.model = path("answering").string();
  expect_error(Privatizer::make(options), Errc::invalid_argument, {"dp-paraphrase", "GPT-2"});
  options.mechanism.name = "dp-prompt";
  EXPECT_TRUE(Privatizer::make(options));
  options.policy.stopwords = StopwordPolicy::keep;
  expect_error(Privatizer::make(options), Errc::invalid_argument, "stopwords", {"rewrites the whole text"});
}

TEST_F(LanguageModels, WhatMakesNoSenseIsRefused) {
  PrivatizeOptions budget = mlm(0);
  budget.document_budget = DocumentBudget{BudgetStrategy::even, 10, {}};
  expect_error(Privatizer::make(budget), Errc::invalid_argument, "document_epsilon", {"epsilon"});
  PrivatizeOptions certified = mlm(1);
  certified.target = PrivacyTarget::certified;
  expect_error(Privatizer::make(certified), Errc::invalid_argument, "target", {});
  PrivatizeOptions phrases = mlm(1);
  phrases.collocations = Segmentation::gst;
  expect_error(Privatizer::make(phrases), Errc::invalid_argument, "collocations", {});
  for (const double epsilon : {0.0, -1.0, 1e7})
    expect_error(Privatizer::make(mlm(epsilon)), Errc::invalid_argument, "epsilon", {});
  for (const auto& [name, value] :
       {std::pair("mode", "x"), std::pair("context", "x"), std::pair("window", "-1")}) {
    PrivatizeOptions wrong = mlm(1);
    wrong.mechanism.parameters[name] = value;
    expect_error(Privatizer::make(wrong), Errc::invalid_argument, {name, value});
  }
  PrivatizeOptions coin = mlm(1);
  coin.mechanism.name = "dp-mlm-plus";
  coin.mechanism.parameters["deletion"] = "1.5";
  expect_error(Privatizer::make(coin), Errc::invalid_argument, {"deletion", "1.5"});
  expect_error(Privatizer::make(mlm(1, "nowhere")), Errc::not_found, {"no such folder"});
  std::filesystem::create_directory(path("empty"));
  expect_error(Privatizer::make(mlm(1, "empty")), Errc::not_found, {"config.json"});
  expect_error(find_word_mechanism("dp-mlm"), Errc::invalid_argument, {"whole texts"});
}

}  // namespace
}  // namespace sotto
