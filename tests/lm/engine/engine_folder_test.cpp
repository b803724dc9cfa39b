// Which folders the engine takes, tiny checkpoints whose sizes fit no register, and damaged or hostile
// folders, which are refused with one line that names what is wrong.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "lm/engine/engine_fixture.hpp"
#include "lm/masked_mechanism.hpp"
#include "support/every_target.hpp"
#include "support/expected_sequences.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

class EngineFolders : public ::testing::Test {
 protected:
  static std::filesystem::path tiny(const std::string& name) {
    return std::filesystem::path(SOTTO_TEST_DATA) / name;
  }
  /// A copy of a tiny checkpoint, to be changed.
  std::filesystem::path copy(const std::string& name) {
    const auto target = folder_.path() / name;
    std::filesystem::remove_all(target);
    std::filesystem::copy(tiny(name), target, std::filesystem::copy_options::recursive);
    return target;
  }
  static void configure(const std::filesystem::path& folder, const std::string& key,
                        const nlohmann::json& value) {
    nlohmann::json config = nlohmann::json::parse(base::read_file(folder / "config.json").value());
    config[key] = value;
    std::ofstream(folder / "config.json") << config;
  }
  /// Renames a tensor or changes its type or shape.
  template <class Change>
  static void edit_header(const std::filesystem::path& folder, const Change& change) {
    const std::string file = base::read_file(folder / "model.safetensors").value();
    std::uint64_t length = 0;
    file.copy(reinterpret_cast<char*>(&length), 8);
    nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
    change(header);
    std::string text = header.dump();
    while (text.size() % 8 != 0) text += ' ';
    const std::uint64_t size = text.size();
    std::ofstream(folder / "model.safetensors", std::ios::binary)
        << std::string(reinterpret_cast<const char*>(&size), 8) << text << file.substr(8 + length);
  }
  static auto masked(const std::filesystem::path& folder) {
    return engine_backend().open_masked(folder, on_threads(2));
  }
  static auto causal(const std::filesystem::path& folder) {
    return engine_backend().open_causal(folder, on_threads(2));
  }

  TemporaryFolder folder_;
};

TEST_F(EngineFolders, TakesWhatIsStoredInBytesOnTheCpu) {
  const auto chosen = [](ModelUse use, const std::string& name, const LanguageModelResources& resources) {
    const auto backend = language_model_backend(use, shipped_model(name), resources);
    return backend && *backend == &engine_backend();
  };
  EXPECT_TRUE(chosen(ModelUse::masked, "sotto-en-mlm", {}));
  EXPECT_TRUE(chosen(ModelUse::masked, "sotto-en-mlm", {Device::cpu, Precision::int8, 0}));
  EXPECT_TRUE(chosen(ModelUse::causal, "sotto-en-paraphrase", {}));
  EXPECT_TRUE(chosen(ModelUse::sentence, "sotto-en-encoder", {}));
  EXPECT_FALSE(chosen(ModelUse::masked, "sotto-en-mlm", {Device::cpu, Precision::f32, 0}));
  EXPECT_FALSE(chosen(ModelUse::masked, "sotto-en-mlm", {Device::cuda, Precision::automatic, 0}));
  EXPECT_FALSE(chosen(ModelUse::masked, "sotto-en-encoder", {}));
  EXPECT_EQ(precision_used(engine_backend(), {}), Precision::int8);
  // What it says about its arithmetic is the same on every processor.
  on_every_target([](const char*) { EXPECT_EQ(engine_backend().arithmetic({}).value(), "engine 1"); });
}

TEST_F(EngineFolders, TinyBoundedModelFollowsTheReference) {
  const nlohmann::json expected = nlohmann::json::parse(std::ifstream(tiny("bounded") / "expected.json"));
  std::vector<Sequence> sequences = sequences_of(expected);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    sequences[i].positions = expected["positions"][i].get<std::vector<std::int32_t>>();
    sequences[i].segments = expected["segments"][i].get<std::vector<std::int32_t>>();
    sequences[i].pieces = expected["pieces"][i].get<std::vector<std::int32_t>>();
  }
  const auto places = expected["masked"].get<std::vector<std::uint32_t>>();
  const auto opened = masked(tiny("bounded")).value();
  for (const nlohmann::json& answer : expected["reaches"]) {
    const double reach = answer["reach"];
    const auto model = reach > 0 ? opened->at_reach(reach, 0).value() : opened;
    if (reach > 0) {
      const BoundedHead* const head = model->bounded_head();
      EXPECT_NEAR(head->slope, answer["slope"].get<float>(), 1e-5);
      EXPECT_NEAR(head->log_total, answer["log_total"].get<float>(), 1e-5);
      EXPECT_NEAR(head->sharpness_known, answer["sharpness"][0].get<float>(), 1e-5);
      EXPECT_NEAR(head->sharpness_unknown, answer["sharpness"][1].get<float>(), 1e-5);
      for (std::size_t i = 0; i < model->log_base().size(); ++i)
        EXPECT_NEAR(model->log_base()[i], answer["log_base"][i].get<float>(), 1e-5);
    }
    std::vector<float> scores(sequences.size() * 37);
    ASSERT_TRUE(model->logits(sequences, places, scores));
    std::vector<float> reference;
    for (const nlohmann::json& row : answer["scores"])
      for (const nlohmann::json& score : row) reference.push_back(score);
    EXPECT_GT(correlation(scores, reference), 0.999) << reach;
    on_every_target([&](const char* target) {
      const auto again = masked(tiny("bounded")).value();
      const auto told = reach > 0 ? again->at_reach(reach, 0).value() : again;
      std::vector<float> out(scores.size());
      ASSERT_TRUE(told->logits(sequences, places, out));
      EXPECT_TRUE(same_bits(out, scores)) << target;
    });
  }
}

TEST_F(EngineFolders, OnePassAnswersAllPlacesAsOneByOne) {
  const auto model = engine_masked(2)->at_reach(10, 0).value();
  const MaskedQuestions questions = masked_questions();
  std::vector<std::vector<std::uint32_t>> places;
  std::vector<Sequence> copies;
  std::vector<std::uint32_t> each;
  for (std::size_t i = 0; i < questions.sequences.size(); ++i) {
    places.push_back({3, 0, 5, questions.places[i]});
    copies.insert(copies.end(), 4, questions.sequences[i]);
    each.insert(each.end(), places[i].begin(), places[i].end());
  }
  std::vector<float> together(each.size() * model->output_size());
  std::vector<float> alone(together.size());
  ASSERT_TRUE(model->logits_at(questions.sequences, places, together));
  ASSERT_TRUE(model->logits(copies, each, alone));
  EXPECT_TRUE(same_bits(together, alone));
  const Sequence& sequence = questions.sequences[0];
  std::vector<float> everywhere(sequence.ids.size() * model->output_size());
  ASSERT_TRUE(model->logits_everywhere(sequence, everywhere));
  const auto row = std::span(everywhere).subspan(3 * model->output_size(), model->output_size());
  EXPECT_TRUE(same_bits(row, std::span(together).first(model->output_size())));
  expect_error(model->logits_at({&sequence, 1}, std::vector<std::vector<std::uint32_t>>{{99}}, row),
               Errc::invalid_argument, {"place 99"});
  expect_error(model->logits_at({&sequence, 1}, std::vector<std::vector<std::uint32_t>>{{}}, {}),
               Errc::invalid_argument, {"no place"});
}

TEST_F(EngineFolders, OnePassIsDeclaredByTheFolder) {
  const auto target = folder_.path() / "model";
  std::filesystem::copy(shipped_model("sotto-en-mlm"), target);
  const MaskedOptions options{.epsilon = 10, .mode = MaskedMode::one_pass};
  configure(target, "modes", {"parallel", "sequential"});
  expect_error(MaskedMechanism::make(WordFiller::open(target, on_threads(1)).value(), options, {}),
               Errc::invalid_argument, "parameters.mode", {"give parallel or sequential"});
  configure(target, "modes", {"one-pass"});
  const auto filler = WordFiller::open(target, on_threads(1)).value();
  EXPECT_EQ(MaskedMechanism::make(filler, {.epsilon = 10}, {}).value()->mode(), MaskedMode::one_pass);
  for (const MaskedMode other : {MaskedMode::parallel, MaskedMode::sequential})
    expect_error(MaskedMechanism::make(filler, {.epsilon = 10, .mode = other}, {}), Errc::invalid_argument,
                 "parameters.mode", {"give one-pass"});
  configure(target, "modes", {"sequential", "one-pass"});
  const auto two = WordFiller::open(target, on_threads(1)).value();
  EXPECT_EQ(MaskedMechanism::make(two, {.epsilon = 10}, {}).value()->mode(), MaskedMode::sequential);
  for (const nlohmann::json& bad : {nlohmann::json("one-pass"), nlohmann::json::array(), nlohmann::json({1}),
                                    nlohmann::json({"one pass"})}) {
    configure(target, "modes", bad);
    expect_error(WordFiller::open(target, on_threads(1)), Errc::bad_format, {"modes", "config.json"});
  }
}

TEST_F(EngineFolders, WhatItCannotMeanIsRefused) {
  const auto target = folder_.path() / "model";
  std::filesystem::copy(shipped_model("sotto-en-mlm"), target);
  for (const nlohmann::json& bad : {nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json("64")}) {
    configure(target, "window_slots", bad);
    expect_error(WordFiller::open(target, on_threads(1)), Errc::bad_format, {"window_slots", "config.json"});
  }
  configure(target, "window_slots", 64);
  const std::string words = base::read_file(target / "words.txt").value();
  for (const std::string between : {"\r\n", " \n", "\x1B\n", "\t\n"}) {
    std::string changed = words;
    changed.replace(changed.find('\n'), 1, between);
    std::ofstream(target / "words.txt", std::ios::binary) << changed;
    expect_error(WordFiller::open(target, on_threads(1)), Errc::bad_format,
                 {"words.txt", "line 1", "holds a word"});
  }
  std::ofstream(target / "words.txt", std::ios::binary) << words;
  ASSERT_TRUE(WordFiller::open(target, on_threads(1)));
  configure(target, "hidden_act", "relu");
  expect_error(masked(target), Errc::bad_format, {"hidden_act", "relu", "gelu"});
}

TEST_F(EngineFolders, RefusesInputsOutOfRange) {
  const auto model = masked(tiny("bounded")).value();
  std::vector<float> out(37);
  const auto ask = [&](const Sequence& sequence, std::uint32_t place) {
    return model->logits({&sequence, 1}, {&place, 1}, out);
  };
  expect_error(ask({{61}, {}, {}, {}}, 0), Errc::invalid_argument, {"id 61 is not from 0 to 60"});
  expect_error(ask({{-1}, {}, {}, {}}, 0), Errc::invalid_argument, {"id -1"});
  expect_error(ask({{}, {}, {}, {}}, 0), Errc::invalid_argument, {"empty"});
  expect_error(ask({{1, 2}, {0, 9}, {}, {}}, 0), Errc::invalid_argument, {"position 9"});
  expect_error(ask({{1, 2}, {}, {0, 2}, {}}, 0), Errc::invalid_argument, {"segment 2"});
  expect_error(ask({{1, 2}, {}, {}, {0, 3}}, 0), Errc::invalid_argument, {"piece 3"});
  expect_error(ask({{1, 2}, {}, {}, {}}, 2), Errc::invalid_argument, {"place 2 is not from 0 to 1"});
  expect_error(ask({std::vector<std::int32_t>(10, 4), {}, {}, {}}, 0), Errc::limit, {"10 ids", "at most 9"});
  const auto writer = causal(tiny("gpt2")).value();
  const std::vector<Sequence> prompts = {{{1, 2, 3}, {}, {}, {}}, {{4}, {}, {}, {}}};
  std::vector<float> logits(2 * 61);
  const auto generation = writer->begin(prompts, logits).value();
  expect_error(generation->append(std::vector<std::int32_t>{1}, logits), Errc::invalid_argument, {"2 texts"});
  expect_error(generation->append(std::vector<std::int32_t>{1, 99}, logits), Errc::invalid_argument,
               {"id 99"});
  for (int i = 0; i < 21; ++i) ASSERT_TRUE(generation->append(std::vector<std::int32_t>{1, 2}, logits));
  expect_error(generation->append(std::vector<std::int32_t>{1, 2}, logits), Errc::limit, {"24 tokens"});
}

TEST_F(EngineFolders, RefusesHostileConfigurations) {
  expect_error(masked("/nowhere"), Errc::not_found, {"/nowhere", "config.json"});
  const std::pair<const char*, nlohmann::json> bad[] = {{"hidden_size", 0},
                                                        {"hidden_size", "16"},
                                                        {"hidden_size", 1e30},
                                                        {"num_attention_heads", 3},
                                                        {"num_hidden_layers", -1},
                                                        {"output_words", 1ULL << 40},
                                                        {"vocab_size", nullptr},
                                                        {"max_slots", 0},
                                                        {"reach_knots", {1}},
                                                        {"reach_knots", {2, 1}},
                                                        {"reach_knots", {0, 1}},
                                                        {"reach_knots", {1, 1e300}},
                                                        {"slope", 0},
                                                        {"logit_range", "x"},
                                                        {"layer_norm_eps", -1},
                                                        {"model_type", "bert"},
                                                        {"max_pieces_per_slot", 1.5},
                                                        {"reach_knots", "no"},
                                                        {"intermediate_size", 1e9}};
  for (const auto& [key, value] : bad) {
    const auto folder = copy("bounded");
    configure(folder, key, value);
    expect_error(masked(folder), Errc::bad_format, {key, "config.json"});
  }
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"n_head", 5},
                                   {"n_embd", 0},
                                   {"activation_function", "cube"}}) {
    const auto folder = copy("gpt2");
    configure(folder, key, value);
    expect_error(causal(folder), Errc::bad_format, {key});
  }
}

TEST_F(EngineFolders, RefusesTensorsThatDoNotFit) {
  const auto folder = copy("bounded");
  edit_header(folder, [](nlohmann::json& header) {
    header["other"] = header["head.words.weight"];
    header.erase("head.words.weight");
  });
  expect_error(masked(folder), Errc::bad_format, {"head.words.weight", "[37, 20]"});
  const auto wider = copy("bounded");
  configure(wider, "head_size", 10);
  expect_error(masked(wider), Errc::bad_format, {"head.dense.weight", "[10, 16]", "[20, 16]"});
  const auto scaleless = copy("bounded");
  edit_header(scaleless, [](nlohmann::json& header) {
    header["x"] = header["embed.slot.weight.scale"];
    header.erase("embed.slot.weight.scale");
  });
  expect_error(masked(scaleless), Errc::bad_format, {"embed.slot.weight.scale"});
  const auto strange = copy("bounded");
  edit_header(strange, [](nlohmann::json& header) { header["norm.weight"]["dtype"] = "I32"; });
  expect_error(masked(strange), Errc::bad_format, {"norm.weight", "I32"});
  std::filesystem::resize_file(strange / "model.safetensors", 100);
  EXPECT_FALSE(masked(strange));
}

// Weights that are not numbers reach the law, which refuses them.
TEST_F(EngineFolders, WhatIsNoNumberIsNotHidden) {
  const auto folder = copy("bounded");
  const std::string file = base::read_file(folder / "model.safetensors").value();
  std::uint64_t length = 0;
  file.copy(reinterpret_cast<char*>(&length), 8);
  const nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
  for (const char* name : {"norm.weight", "layers.0.attention.qkv.bias", "layers.1.ffn.up.weight.scale"}) {
    std::string changed = file;
    const float bad = NAN;
    const std::size_t at = 8 + length + header[name]["data_offsets"][0].get<std::size_t>();
    changed.replace(at, 4, reinterpret_cast<const char*>(&bad), 4);
    std::ofstream(folder / "model.safetensors", std::ios::binary) << changed;
    const auto model = masked(folder).value();
    const Sequence sequence{{5, 6, 7}, {}, {}, {}};
    const std::uint32_t place = 1;
    std::vector<float> out(37);
    ASSERT_TRUE(model->logits({&sequence, 1}, {&place, 1}, out));
    EXPECT_TRUE(std::isnan(out[0])) << name;
  }
}

}  // namespace
}  // namespace sotto::testing
