// DP-MLM over a few words, with a model whose scores the test gives.
#pragma once

#include <gtest/gtest.h>

#include "fake_models.hpp"
#include "lm/masked_mechanism.hpp"
#include "random/bit_sources.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {

using namespace sotto::lm;

inline const std::vector<std::string> kSentenceWords = {"the", "cat", "sat", "on",
                                                        "mat", "a",   "boy", "Paris"};

/// A text on its way through a mechanism.
struct Text {
  Text(const MaskedMechanism& mechanism, std::string given, std::uint64_t seed = 7)
      : text(std::move(given)), bits(random::key_from_seed(seed)) {
    text.reserve(text.size() + 64);
    tokenize(text, tokens);
    document.text = text;
    document.tokens = tokens;
    for (std::uint32_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].token_class == TokenClass::word) document.drawn.push_back(i);
    document.bits = &bits;
    mechanism.prepare(document);
  }

  std::string text;
  std::vector<Token> tokens;
  random::ChaChaBitSource bits;
  MaskedDocument document;
};

class DpMlm : public ::testing::Test {
 protected:
  static std::shared_ptr<FakeMaskedModel> make_model(FakeMaskedModel::Score score) {
    return std::make_shared<FakeMaskedModel>(kFirstWord + kSentenceWords.size(), std::move(score));
  }
  static std::shared_ptr<FakeMaskedModel> mixing_model() {
    return make_model([](const Sequence& sequence, std::uint32_t place, std::uint32_t output) {
      return 10 * mixed(sequence.ids, place, output);
    });
  }
  /// A model that prefers this word.
  static std::shared_ptr<FakeMaskedModel> model_for(std::uint32_t word) {
    return make_model([word](const Sequence&, std::uint32_t, std::uint32_t output) {
      return output == kFirstWord + word ? 10.0F : 0.0F;
    });
  }

  static std::shared_ptr<const MaskedMechanism> mechanism(std::shared_ptr<const MaskedModel> model,
                                                          const MaskedOptions& options) {
    auto filler = value_or_throw(WordFiller::make(std::move(model), small_tokenizer(kSentenceWords), {}));
    return value_or_throw(MaskedMechanism::make(filler, options, {}));
  }

  static void add_word(std::string& text, std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  static std::string outputs(const MaskedMechanism& mechanism, std::string text, std::uint64_t seed = 7) {
    Text text_run(mechanism, std::move(text), seed);
    EXPECT_TRUE(mechanism.rewrite({&text_run.document, 1}));
    return spelled(mechanism, text_run.document);
  }
  static std::string spelled(const MaskedMechanism& mechanism, const MaskedDocument& document) {
    std::string text;
    for (const MaskedOutput& output : document.outputs)
      for (const std::uint32_t word : {output.word, output.added})
        if (word != MaskedOutput::kNone) add_word(text, mechanism.filler().words()[word]);
    return text;
  }
  /// A query to the model in readable form.
  static std::string read(const MaskedMechanism& mechanism, const Sequence& sequence) {
    std::string text;
    for (const std::int32_t id : sequence.ids)
      add_word(text, mechanism.filler().tokenizer().token(static_cast<SubwordId>(id)));
    return text;
  }
};

/// A model with a bounded head that draws itself.
inline std::shared_ptr<FakeMaskedModel> drawing(std::shared_ptr<FakeMaskedModel> model) {
  BoundedHead head;
  head.range = 10;
  head.slope = 0.2F;
  head.reach = 20;
  head.log_total = 10;
  head.sharpness_known = 3;
  head.sharpness_unknown = 1.5F;
  model->head = head;
  model->draws = true;
  return model;
}

}  // namespace sotto::testing
