// Whole texts through the pipeline, with the fake plugin of tests/support/fake_plugin.cpp.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <sotto/receipt_description.hpp>

#include "pipeline/rewrite/generation_rewriter.hpp"
#include "pipeline/rewrite/masked_rewriter.hpp"
#include "pipeline/rewrite/word_rewriter.hpp"
#include "privacy/nano_epsilon.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_model.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::pipeline;
using testing::expect_error;

// Must run before anything loads the plugin.
const int kPluginIsChosen = ::setenv("SOTTO_PLUGINS", SOTTO_FAKE_PLUGIN, 1);

class LanguageModels : public testing::PipelineTest {
 protected:
  LanguageModels() {
    EXPECT_EQ(kPluginIsChosen, 0);
    make_masked("masked", R"("range": 10)");
  }

  /// A masked model over some words; "soup" has the id 13.
  void make_masked(const std::string& name, const std::string& settings) const {
    std::filesystem::create_directory(path(name));
    write(name + "/config.json", R"({"model_type": "bert", "vocab_size": 22, )" + settings + "}");
    write(name + "/vocab.txt",
          "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n!\n##a\n##b\n##c\n##d\n##x\nsoup\ncold\nwarm\nthe\nwas\n"
          "waiter\ni\ngood\nbad\n");
  }
  void make_causal(const std::string& name, const std::string& type) const {
    std::filesystem::create_directory(path(name));
    write(name + "/config.json", R"({"model_type": ")" + type + R"(", "vocab_size": 8})");
    write(name + "/vocab.json",
          R"({"<|endoftext|>": 0, "<|paraphrase|>": 1, "a": 2, "b": 3, "c": 4, "d": 5, "e": 6, "Ġ": 7})");
    write(name + "/merges.txt", "#version: 0.2\n");
  }

  PrivatizeOptions mlm(double epsilon, const std::string& model = "masked") const {
    PrivatizeOptions options;
    options.mechanism.name = "dp-mlm";
    options.mechanism.epsilon = epsilon;
    options.mechanism.model = path(model).string();
    options.key_file = path("key");
    return options;
  }
  static std::string configuration(const PrivatizeOptions& options) {
    return Privatizer::make(options).value()->receipt().configuration_digest;
  }
  static std::vector<std::string> words(std::string_view text) {
    std::vector<Token> tokens;
    std::string padded(text);
    padded.reserve(padded.size() + 64);
    tokenize(padded, tokens);
    std::vector<std::string> found;
    for (const Token& token : tokens)
      if (token.token_class == TokenClass::word)
        found.push_back(padded.substr(token.begin, token.end - token.begin));
    return found;
  }
};

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

// One-pass models are computed by the engine.
class OnePassModels : public LanguageModels {
 protected:
  OnePassModels() {
    testing::OnePassCheckpoint({"soup", "soups", "waiter", "waiters", "cold", "warm", "the", "was", "good"})
        .write(path("one-pass"));
  }
  PrivatizeOptions wandering(const ParameterValues& parameters,
                             const std::string& mechanism = "dp-mlm") const {
    PrivatizeOptions options = mlm(4, "one-pass");
    options.mechanism.name = mechanism;
    options.mechanism.parameters = parameters;
    return options;
  }
};

TEST_F(OnePassModels, WanderBelongsToTheConfigurationAndTheReceipt) {
  const auto parameters = [](const PrivatizeOptions& options) {
    return nlohmann::json::parse(
        to_json(Privatizer::make(options).value()->receipt()))["mechanism"]["parameters"];
  };
  EXPECT_EQ(parameters(wandering({}))["wander"], "auto");
  EXPECT_EQ(parameters(wandering({}))["mode"], "auto");
  const auto model = [](const PrivatizeOptions& options) {
    return nlohmann::json::parse(to_json(Privatizer::make(options).value()->receipt()))["language_model"];
  };
  EXPECT_EQ(model(wandering({}))["wander"], 1);
  EXPECT_EQ(model(wandering({}))["mode"], "one-pass");
  EXPECT_EQ(model(wandering({{"wander", "0"}}))["wander"], 0);
  EXPECT_FALSE(model(mlm(4)).contains("wander"));
  EXPECT_EQ(model(mlm(4))["mode"], "parallel");
  EXPECT_EQ(parameters(wandering({{"wander", ".50"}}))["wander"], "0.5");
  EXPECT_EQ(configuration(wandering({{"wander", ".50"}})), configuration(wandering({{"wander", "5e-1"}})));
  std::set<std::string> seen;
  for (const char* wander : {"auto", "0", "0.5", "1"})
    EXPECT_TRUE(seen.insert(configuration(wandering({{"wander", wander}}))).second) << wander;
  for (const char* wrong : {"2", "-0.1", "nan", "some", ""})
    expect_error(Privatizer::make(wandering({{"wander", wrong}})), Errc::invalid_argument,
                 "parameters.wander", {"0", "1"});
  PrivatizeOptions bert = mlm(4);
  bert.mechanism.parameters["wander"] = "0";
  expect_error(Privatizer::make(bert), Errc::invalid_argument, "parameters.wander", {"leave it out"});
}

TEST_F(OnePassModels, TheReceiptsPageSaysHowWordsWereDrawn) {
  write("in.txt", "the soup was cold\n");
  const auto receipt = [&](const PrivatizeOptions& options) {
    return nlohmann::json::parse(to_json(privatize_files(options, files("in.txt", "out.txt")).value()));
  };
  const auto page = [](const nlohmann::json& json) { return to_json(describe_receipt(json.dump()).value()); };
  const nlohmann::json half = receipt(wandering({{"wander", ".5"}}));
  EXPECT_NE(page(half).find("scored all its words in that pass"), std::string::npos);
  EXPECT_NE(page(half).find("wander was 0.5"), std::string::npos);
  EXPECT_NE(page(half).find("no part of the promise"), std::string::npos);
  EXPECT_NE(page(receipt(wandering({}))).find("wander was 1"), std::string::npos);
  const std::string masked = page(receipt(mlm(4)));
  EXPECT_NE(masked.find("with that word masked"), std::string::npos);
  EXPECT_EQ(masked.find("wander"), masked.find("wander=auto")) << "only among the parameters";
  const std::tuple<const char*, nlohmann::json, const char*> contradictions[] = {
      {"wander", 0.25, "its wander is not that"},
      {"wander", 1.5, "more than 1"},
      {"wander", -1, "not a number from 0"},
      {"mode", 7, "not a text"}};
  for (const auto& [name, value, problem] : contradictions) {
    nlohmann::json changed = half;
    changed["language_model"][name] = value;
    expect_error(describe_receipt(changed.dump()), Errc::bad_format, {problem});
  }
  nlohmann::json other = half;
  other["mechanism"]["parameters"]["mode"] = "parallel";
  expect_error(describe_receipt(other.dump()), Errc::bad_format, {"another mode"});
}

TEST_F(OnePassModels, OtherModesAreRefused) {
  for (const char* mode : {"parallel", "sequential"})
    expect_error(Privatizer::make(wandering({{"mode", mode}})), Errc::invalid_argument, "parameters.mode",
                 {"give one-pass"});
  EXPECT_EQ(rewrite("the soup", wandering({{"mode", "one-pass"}, {"law", "bounded"}})).empty(), false);
}

TEST_F(OnePassModels, EveryThreadCountAndOrderGivesTheSame) {
  std::string jsonl;
  std::string reversed;
  for (int i = 0; i < 300; ++i) {
    const std::string line = R"({"id": ")" + std::to_string(i) + R"(", "t": ")" +
                             (i % 2 == 0 ? "The soup was cold, waiter!" : "Good warm soups 12") + "\"}\n";
    jsonl += line;
    reversed.insert(0, line);
  }
  write("in.jsonl", jsonl);
  write("reversed.jsonl", reversed);
  const auto lines = [&](const std::string& input, unsigned threads) {
    FileOptions to = files(input, "out.jsonl");
    to.fields = {"t"};
    to.id_field = "id";
    to.dataset = "same";
    PrivatizeOptions options = wandering({{"addition", "0.3"}}, "dp-mlm-plus");
    options.language.threads = threads;
    const std::string out = run(options, to);
    std::set<std::string> found;
    for (std::size_t begin = 0; begin < out.size(); begin = out.find('\n', begin) + 1)
      found.insert(out.substr(begin, out.find('\n', begin) - begin));
    return found;
  };
  const std::set<std::string> first = lines("in.jsonl", 1);
  EXPECT_EQ(first.size(), 300U);
  for (const unsigned threads : {2U, 8U}) EXPECT_EQ(lines("in.jsonl", threads), first);
  EXPECT_EQ(lines("reversed.jsonl", 2), first);
}

TEST_F(OnePassModels, TheLedgerChargesARepeatNothing) {
  write("in.jsonl", "{\"who\": \"a\", \"t\": \"the soup was cold\"}\n");
  FileOptions to = files("in.jsonl", "out.jsonl");
  to.fields = {"t"};
  to.ledger = LedgerOptions{path("ledger"), "who", 1000, 10};
  const auto charged = [&](const char* wander) {
    return privatize_files(wandering({{"wander", wander}}), to).value().ledger->charged_documents;
  };
  EXPECT_EQ(charged("1"), 1U);
  const std::string out = read("out.jsonl");
  EXPECT_EQ(charged("1.0"), 0U);
  EXPECT_EQ(read("out.jsonl"), out);
  EXPECT_EQ(charged("0.5"), 1U) << "other noise, and so a new spend";
  const auto accounts = Ledger::open(path("ledger")).value()->accounts_of("a").value();
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0].spent, 2 * 4 * 4'000'000'000);
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

TEST_F(LanguageModels, EverySettingDecidesTheNoise) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the soup was cold ";
  const std::string base = rewrite(text, mlm(5));
  EXPECT_EQ(rewrite(text, mlm(5)), base);
  PrivatizeOptions other = mlm(5);
  other.language.precision = Precision::int8;
  EXPECT_NE(rewrite(text, other), base);
  other = mlm(5);
  other.mechanism.parameters["context"] = "none";
  EXPECT_NE(rewrite(text, other), base);
}

// Other kernels round to other words: the same noise for both would be two releases for the price of one.
TEST_F(LanguageModels, AnotherProcessorIsAnotherStream) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the soup was cold ";
  make_causal("causal", "gpt2");
  write("public.txt", "abc de\nbad cab\n");
  ASSERT_TRUE(calibrate_language_model(path("causal").string(), path("public.txt")));
  PrivatizeOptions paraphrase = mlm(10, "causal");
  paraphrase.mechanism.name = "dp-paraphrase";
  for (const PrivatizeOptions& options : {mlm(5), paraphrase}) {
    const std::string base = configuration(options);
    const std::string out = rewrite(text, options);
    EXPECT_EQ(configuration(options), base);
    ::setenv("ATEN_CPU_CAPABILITY", "default", 1);
    EXPECT_NE(configuration(options), base);
    EXPECT_NE(rewrite(text, options), out);
    ::unsetenv("ATEN_CPU_CAPABILITY");
    EXPECT_EQ(rewrite(text, options), out);
  }
}

TEST_F(LanguageModels, TheModelsFilesBelongToTheConfiguration) {
  const std::string base = configuration(mlm(5));
  write("masked/readme.md", "no part of the model");
  EXPECT_EQ(configuration(mlm(5)), base);
  write("masked/tokenizer_config.json", "{}");
  EXPECT_NE(configuration(mlm(5)), base);
}

TEST_F(LanguageModels, TheEncodersFilesBelongToTheConfiguration) {
  make_masked("encoder", R"("range": 10)");
  PrivatizeOptions weighed = mlm(5);
  weighed.mechanism.parameters = {{"alpha", "0.003"}, {"encoder", path("encoder").string()}};
  const std::string plain = configuration(mlm(5));
  std::set<std::string> seen = {configuration(weighed)};
  EXPECT_EQ(configuration(weighed), *seen.begin());
  write("encoder/model.safetensors", "weights");
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  write("encoder/model.safetensors", "others!");
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  std::filesystem::create_directory(path("encoder/1_Pooling"));
  write("encoder/1_Pooling/config.json", "{}");  // where sentence encoders say how they pool
  EXPECT_TRUE(seen.insert(configuration(weighed)).second);
  EXPECT_EQ(configuration(mlm(5)), plain);  // does not read them
}

TEST_F(LanguageModels, WordNetsFilesBelongToTheConfiguration) {
  const std::vector<testing::TinySynset> synsets = {{'a', {"cold"}, 1}, {'a', {"warm"}, 0}};
  std::filesystem::create_directory(path("wordnet"));
  testing::write_tiny_wordnet(path("wordnet"), synsets);
  PrivatizeOptions demoting = mlm(5);
  demoting.mechanism.parameters = {{"antonyms", "demote"}, {"wordnet", path("wordnet").string()}};
  const std::string base = configuration(demoting);
  EXPECT_EQ(configuration(demoting), base);
  testing::write_tiny_wordnet(path("wordnet"), synsets, {{'a', "colder cold\n"}});
  EXPECT_NE(configuration(demoting), base);
}

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
