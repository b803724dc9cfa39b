// Models that score all words in one pass: the guarantee of every draw in a world small enough to try all
// texts, what wander does to scores, and the same bits however a run is divided.
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gmpxx.h>

#include "lm/engine/engine_fixture.hpp"
#include "lm/masked_mechanism.hpp"
#include "random/bit_sources.hpp"
#include "support/every_target.hpp"
#include "support/one_pass_checkpoint.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

const std::vector<std::string> kWords = {"cat", "cats", "dog", "dogs", "walk", "walks",
                                         "the", "not",  "is",  "anna", "otto", "rome"};

class EngineOnePass : public ::testing::Test {
 protected:
  std::filesystem::path written(const OnePassCheckpoint& checkpoint = OnePassCheckpoint(kWords)) const {
    checkpoint.write(folder_.path());
    return folder_.path();
  }
  static std::shared_ptr<const MaskedModel> opened(const std::filesystem::path& folder,
                                                   unsigned threads = 1) {
    return engine_backend().open_masked(folder, on_threads(threads)).value();
  }
  static std::shared_ptr<const MaskedMechanism> mechanism(const std::filesystem::path& folder,
                                                          const MaskedOptions& options) {
    return MaskedMechanism::make(WordFiller::open(folder, on_threads(options.threads)).value(), options, {})
        .value();
  }
  static std::vector<float> scores(const MaskedModel& model) {
    const std::vector<Sequence> sequences = {{{70, 68, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}},
                                             {{80, 81}, {0, 0}, {0, 0}, {0, 1}}};
    const std::vector<std::vector<std::uint32_t>> places = {{0, 2}, {1}};
    std::vector<float> out(3 * model.output_size());
    EXPECT_TRUE(model.logits_at(sequences, places, out));
    return out;
  }

  const TemporaryFolder folder_;
};

/// The weights of a draw, and their sum.
struct Weights {
  std::vector<std::uint64_t> of_word;
  std::uint64_t total = 0;
};

/// Of every place of every text of one or two words.
std::vector<Weights> weights_of_all_texts(const MaskedMechanism& mechanism) {
  std::vector<std::string> texts = kWords;
  for (const std::string& first : kWords)
    for (const std::string& second : kWords) texts.push_back(fmt::format("{} {}", first, second));
  std::vector<Weights> all;
  for (std::string& text : texts) {
    text.reserve(text.size() + 64);
    std::vector<Token> tokens;
    tokenize(text, tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      Weights& weights = all.emplace_back();
      EXPECT_TRUE(mechanism.weights_of_token(text, tokens, i, weights.of_word));
      for (const std::uint64_t weight : weights.of_word) weights.total += weight;
    }
  }
  return all;
}

/// Whether a has a smaller probability of a word than b.
bool is_less_likely(const Weights& a, const Weights& b, std::size_t word) {
  using Wide = unsigned __int128;  // weights and totals are at most 2^62
  return Wide{a.of_word[word]} * b.total < Wide{b.of_word[word]} * a.total;
}

/// The beginning of the series of e^x, and so a little less, which is against us.
mpq_class below_exp(const mpq_class& x) {
  mpq_class sum = 0;
  mpq_class term = 1;
  for (int k = 1; k < 200; ++k) {
    sum += term;
    term *= x / k;
  }
  return sum;
}

double share(const Weights& weights, std::size_t word) {
  return static_cast<double>(weights.of_word[word]) / static_cast<double>(weights.total);
}

TEST_F(EngineOnePass, NoTwoTextsAreFartherApartThanEpsilon) {
  const auto folder = written();
  double closest = INFINITY;
  for (const LawKind law : {LawKind::balanced, LawKind::bounded})
    for (const double epsilon : {0.5, 1.0, 3.0, 10.0, 30.0})
      for (const double wander : {0.0, 0.25, 0.5, 1.0}) {
        const auto all =
            weights_of_all_texts(*mechanism(folder, {.epsilon = epsilon, .law = law, .wander = wander}));
        ASSERT_EQ(all.size(), 12 + 2 * 144U);
        const mpq_class allowed = below_exp(epsilon);
        for (std::size_t word = 0; word < kWords.size(); ++word) {
          // All pairs, because the farthest of them are these.
          const auto less = [word](const Weights& a, const Weights& b) { return is_less_likely(a, b, word); };
          const auto [least, most] = std::minmax_element(all.begin(), all.end(), less);
          const mpz_class left = mpz_class(most->of_word[word]) * mpz_class(least->total);
          const mpq_class right = mpz_class(least->of_word[word]) * mpz_class(most->total) * allowed;
          EXPECT_LE(left, right) << to_string(law) << " " << epsilon << " " << wander << " " << kWords[word];
          closest = std::min(closest, epsilon - std::log(share(*most, word) / share(*least, word)));
        }
      }
  std::printf("    closest to the bound: %g below\n", closest);
  EXPECT_LT(closest, 1e-6) << "a world in which nothing comes near the bound shows little";
}

// A model of version 1 whose conditions include those of the wander has the same scores.
TEST_F(EngineOnePass, WanderIsAddedToTheEmbeddingAndInterpolated) {
  const OnePassCheckpoint checkpoint(kWords);
  const auto folder = written(checkpoint);
  const TemporaryFolder folded_folder;
  const auto& table = checkpoint.floats.at("embed.wander.weight");
  const std::size_t width = table.shape[1];
  for (const auto& [wander, left, share] :
       {std::tuple(0.0, 0, 0.0F), {0.25, 0, 0.5F}, {0.5, 1, 0.0F}, {0.8, 1, 0.6F}, {1.0, 1, 1.0F}}) {
    OnePassCheckpoint folded = checkpoint;
    folded.config["format_version"] = 1;
    auto& conditions = folded.floats["embed.reach.weight"].values;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const float* const row = table.values.data() + static_cast<std::size_t>(left) * width + i % width;
      conditions[i] += (1 - share) * row[0] + share * row[width];
    }
    folded.floats["log_total"] = {{3}, {0.5F, 2, 8}};
    folded.write(folded_folder.path());
    const auto one = opened(folder)->at_reach(3, wander).value();
    const auto other = opened(folded_folder.path())->at_reach(3, 0).value();
    const std::vector<float> a = scores(*one);
    const std::vector<float> b = scores(*other);
    // Sums rounded in another order may round an activation to the next byte.
    EXPECT_GT(correlation(a, b), 0.9999) << wander;
    EXPECT_EQ(other->usual_wander(), std::nullopt);
    EXPECT_TRUE(other->own_penalty().of_word.empty());
    EXPECT_NEAR(one->own_penalty().of_word[3], 2 * wander * (4 + 3), 1e-5);
    EXPECT_EQ(one->own_penalty().group[3], 1);
    // Reach 3 lies at ln 3/ln 4 between the knots 1 and 4.
    const double at = std::log(3.0) / std::log(4.0);
    EXPECT_NEAR(one->bounded_head()->log_total, (0.4 + 0.2 * wander) * (1 - at + 4 * at), 1e-5) << wander;
  }
  EXPECT_LT(correlation(scores(*opened(folder)->at_reach(3, 0).value()),
                        scores(*opened(folder)->at_reach(3, 1).value())),
            0.99);
  for (const double wrong : {-0.1, 1.1, std::nan("")})
    expect_error(opened(folder)->at_reach(3, wrong), Errc::invalid_argument, {"wander", "from 0 to 1"});
}

// Without a reach the row of knot 0 counts.
TEST_F(EngineOnePass, PlainUseDoesNotWander) {
  const OnePassCheckpoint checkpoint(kWords);
  OnePassCheckpoint folded = checkpoint;
  folded.config["format_version"] = 1;
  auto& conditions = folded.floats["embed.reach.weight"].values;
  const auto& table = folded.floats["embed.wander.weight"];
  for (std::size_t i = 0; i < table.shape[1]; ++i)
    conditions[conditions.size() - table.shape[1] + i] += table.values[i];
  folded.floats["log_total"] = {{3}, {0.5F, 2, 8}};
  const TemporaryFolder folded_folder;
  folded.write(folded_folder.path());
  EXPECT_TRUE(same_bits(scores(*opened(written(checkpoint))), scores(*opened(folded_folder.path()))));
}

// At wander 1 the penalties are so large that neither a word nor its inflection comes out.
TEST_F(EngineOnePass, WordsThatWanderBecomeOthers) {
  OnePassCheckpoint checkpoint(kWords);
  for (float& penalty : checkpoint.floats["own_penalty"].values) penalty *= 1000;
  const auto folder = written(checkpoint);
  for (const LawKind law : {LawKind::balanced, LawKind::bounded}) {
    const auto kept = mechanism(folder, {.epsilon = 16, .law = law, .wander = 0});
    const auto moved = mechanism(folder, {.epsilon = 16, .law = law});
    for (std::size_t word = 0; word < kWords.size(); ++word) {
      std::vector<std::uint64_t> stays;
      std::vector<std::uint64_t> goes;
      ASSERT_TRUE(kept->weights_of_word(kWords[word], stays));
      ASSERT_TRUE(moved->weights_of_word(kWords[word], goes));
      for (const std::size_t own : {word, word ^ 1})
        EXPECT_LT(static_cast<double>(goes[own]),
                  1e-2 * static_cast<double>(*std::max_element(goes.begin(), goes.end())))
            << kWords[word];
    }
  }
}

/// The outputs of some texts.
std::vector<std::uint32_t> drawn(const MaskedMechanism& mechanism, bool backwards, std::size_t together) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i) {
    std::string& text = texts.emplace_back();
    for (std::size_t k = 0; k < i; ++k)
      text += kWords[(i * k + k) % kWords.size()] + (k % 5 == 4 ? ", " : " ");
    text.reserve(text.size() + 64);
  }
  std::vector<std::vector<Token>> tokens(texts.size());
  std::vector<std::unique_ptr<random::ChaChaBitSource>> bits;
  std::vector<MaskedDocument> documents;
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < texts.size(); ++n) order.push_back(backwards ? texts.size() - 1 - n : n);
  for (const std::size_t i : order) {
    tokenize(texts[i], tokens[i]);
    MaskedDocument& document = documents.emplace_back();
    document.text = texts[i];
    document.tokens = tokens[i];
    for (std::uint32_t k = 0; k < tokens[i].size(); ++k)
      if (tokens[i][k].token_class == TokenClass::word) document.drawn.push_back(k);
    document.bits =
        bits.emplace_back(std::make_unique<random::ChaChaBitSource>(random::key_from_seed(i))).get();
    mechanism.prepare(document);
  }
  for (std::size_t i = 0; i < documents.size(); i += together)
    EXPECT_TRUE(mechanism.rewrite(std::span(documents).subspan(i, std::min(together, documents.size() - i))));
  std::vector<std::uint32_t> words;
  if (backwards) std::reverse(documents.begin(), documents.end());
  for (const MaskedDocument& document : documents)
    for (const MaskedOutput& output : document.outputs)
      words.insert(words.end(), {output.word, output.added});
  return words;
}

TEST_F(EngineOnePass, BitsDependOnNothingButTheText) {
  const auto folder = written();
  const MaskedOptions options{.epsilon = 4, .addition = 0.3, .deletion = 0.2, .wander = 0.7};
  const std::vector<std::uint32_t> words = drawn(*mechanism(folder, options), false, 40);
  const std::vector<float> numbers = scores(*opened(folder)->at_reach(4, 0.7).value());
  const std::size_t targets = on_every_target([&](const char* target) {
    EXPECT_EQ(drawn(*mechanism(folder, options), false, 40), words) << target;
    EXPECT_TRUE(same_bits(scores(*opened(folder)->at_reach(4, 0.7).value()), numbers)) << target;
  });
  EXPECT_GE(targets, 1U);
  for (const unsigned threads : {1U, 2U, 8U}) {
    MaskedOptions with = options;
    with.threads = threads;
    for (const bool backwards : {false, true})
      for (const std::size_t together : {1, 7, 40})
        EXPECT_EQ(drawn(*mechanism(folder, with), backwards, together), words) << threads << " " << together;
  }
}

TEST_F(EngineOnePass, ModelsWithoutWanderRefuseIt) {
  OnePassCheckpoint old(kWords);
  old.config["format_version"] = 1;
  old.floats["log_total"] = {{3}, {0.5F, 2, 8}};
  const auto filler = WordFiller::open(written(old), on_threads(1)).value();
  EXPECT_TRUE(MaskedMechanism::make(filler, {.epsilon = 1}, {}));
  for (const double wander : {0.0, 0.5})
    expect_error(MaskedMechanism::make(filler, {.epsilon = 1, .wander = wander}, {}), Errc::invalid_argument,
                 "parameters.wander", {"do not wander", "leave it out"});
}

TEST_F(EngineOnePass, RefusesWhatDoesNotFit) {
  const std::tuple<const char*, std::function<void(OnePassCheckpoint&)>, const char*> damages[] = {
      {"format_version", [](auto& c) { c.config["format_version"] = 3; }, "from 1 to 2"},
      {"wander_knots", [](auto& c) { c.config.erase("wander_knots"); }, "is missing"},
      {"wander_knots", [](auto& c) { c.config["wander_knots"] = {0.0}; }, "two or more"},
      {"wander_knots",
       [](auto& c) {
         c.config["wander_knots"] = {0.0, 0.5, 0.5, 1.0};
       },
       "rising"},
      {"wander_knots",
       [](auto& c) {
         c.config["wander_knots"] = {0.1, 0.5, 1.0};
       },
       "the first 0"},
      {"wander_knots",
       [](auto& c) {
         c.config["wander_knots"] = {0.0, 0.5, 0.9};
       },
       "the last 1"},
      {"wander_knots", [](auto& c) { c.config["wander_knots"] = "all"; }, "a list of numbers"},
      {"own_penalty",
       [](auto& c) {
         c.config["wander_knots"] = {0.0, 1.0};
       },
       "[2, 12]"},
      {"wander", [](auto& c) { c.config.erase("wander"); }, "is missing"},
      {"wander", [](auto& c) { c.config["wander"] = 1.5; }, "from 0 to 1"},
      {"embed.wander.weight", [](auto& c) { c.floats.erase("embed.wander.weight"); }, "[3, 16]"},
      {"own_penalty", [](auto& c) { c.floats.erase("own_penalty"); }, "[3, 12]"},
      {"own_penalty",
       [](auto& c) {
         c.floats["own_penalty"].shape = {12, 3};
       },
       "[12, 3]"},
      {"own_penalty", [](auto& c) { c.floats["own_penalty"].values[14] = -1; }, "element 14 is -1"},
      {"own_penalty", [](auto& c) { c.floats["own_penalty"].values[0] = NAN; }, "element 0 is nan"},
      {"own_penalty", [](auto& c) { c.floats["own_penalty"].values[35] = INFINITY; }, "element 35 is inf"},
      {"word_group", [](auto& c) { c.groups.clear(); }, "[12]"},
      {"word_group", [](auto& c) { c.groups.push_back(0); }, "[13]"},
      {"word_group", [](auto& c) { c.groups[3] = 12; },
       "element 3 is 12; it must be a whole number from 0 to 11"},
      {"word_group", [](auto& c) { c.groups[0] = -1; }, "element 0 is -1"},
      {"word_group",
       [](auto& c) {
         c.groups.clear();
         c.floats["word_group"] = {{12}, std::vector<float>(12)};
       },
       "has type F32; I32 is allowed"},
      {"log_total",
       [](auto& c) {
         c.floats["log_total"] = {{3}, {0.5F, 2, 8}};
       },
       "[3, 3]"}};
  for (const auto& [what, damage, said] : damages) {
    OnePassCheckpoint checkpoint(kWords);
    damage(checkpoint);
    expect_error(engine_backend().open_masked(written(checkpoint), on_threads(1)), Errc::bad_format,
                 {what, said});
  }
  // Totals that no weights can have are refused by the law.
  OnePassCheckpoint heavy(kWords);
  heavy.floats["log_total"].values.assign(9, 17);
  const auto filler = WordFiller::open(written(heavy), on_threads(1)).value();
  expect_error(MaskedMechanism::make(filler, {.epsilon = 16}, {}), Errc::bad_format, {"add up to"});
}

}  // namespace
}  // namespace sotto::testing
