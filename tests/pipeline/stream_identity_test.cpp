// When two runs must agree byte for byte, and when they must not.
#include <gtest/gtest.h>

#include "embed/word_forms.hpp"
#include "embed/word_map.hpp"
#include "random/document_stream.hpp"
#include "support/pipeline_fixture.hpp"
#include "text/char_kind.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class StreamIdentity : public PipelineTest {
 protected:
  // Long enough that two independent draws agree with negligible probability.
  const std::string text_ = [] {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "the soup was cold ";
    return text;
  }();

  std::string named(const DocumentName& name, const PrivatizeOptions& with, const std::string& text) const {
    Counts counts;
    return Privatizer::make(with).value()->privatize(name, text, counts).value();
  }
};

TEST_F(StreamIdentity, TheSameDocumentRepeats) {
  const DocumentName name{"set", "7", "body"};
  EXPECT_EQ(named(name, options(), text_), named(name, options(), text_));
}

TEST_F(StreamIdentity, WithoutKeyOrSeedRunsDiffer) {
  PrivatizeOptions fresh = options();
  fresh.key_file.reset();
  const DocumentName name{"set", "7", "body"};
  EXPECT_NE(named(name, fresh, text_), named(name, fresh, text_));
}

TEST_F(StreamIdentity, SeedsRepeatAndDiffer) {
  PrivatizeOptions seeded = options();
  seeded.key_file.reset();
  const DocumentName name{"set", "7", "body"};
  const auto with_seed = [&](std::uint64_t seed) {
    seeded.seed = seed;
    return named(name, seeded, text_);
  };
  EXPECT_EQ(with_seed(1), with_seed(1));
  EXPECT_NE(with_seed(1), with_seed(2));
}

// The first words of the output differ although the input words are the same: the noise is fresh from the
// first draw on.
TEST_F(StreamIdentity, WhateverChangesDrawsFreshNoise) {
  const DocumentName name{"set", "7", "body"};
  const std::string base = named(name, options(), text_);
  const auto head = [](const std::string& text) { return text.substr(0, 200); };
  EXPECT_NE(head(named({"other", "7", "body"}, options(), text_)), head(base)) << "data set";
  EXPECT_NE(head(named({"set", "8", "body"}, options(), text_)), head(base)) << "id";
  EXPECT_NE(head(named({"set", "7", "subject"}, options(), text_)), head(base)) << "field";
  EXPECT_NE(head(named(name, options(), text_ + "!")), head(base)) << "text";
  EXPECT_NE(head(named(name, options(1.0000001), text_)), head(base)) << "epsilon";

  PrivatizeOptions policy = options();
  policy.policy.numbers = NumberPolicy::keep;  // changes only the configuration for this text
  EXPECT_NE(head(named(name, policy, text_)), head(base)) << "policy";

  PrivatizeOptions parameter = options();
  parameter.mechanism.parameters["lists"] = "L2";
  EXPECT_NE(head(named(name, parameter, text_)), head(base)) << "parameter";

  write_list_set(path("other.safetensors"), words_,
                 {{"b", stepping_order(words_.size(), 1)}, {"a", stepping_order(words_.size(), 7)}});
  PrivatizeOptions model = options();
  model.mechanism.model = path("other.safetensors").string();
  EXPECT_NE(head(named(name, model, text_)), head(base)) << "model";

  write("key2", std::string(32, 'x'));
  PrivatizeOptions key = options();
  key.key_file = path("key2");
  EXPECT_NE(head(named(name, key, text_)), head(base)) << "key";
}

TEST_F(StreamIdentity, KeyAndSeedExcludeEachOther) {
  PrivatizeOptions both = options();
  both.seed = 1;
  EXPECT_FALSE(Privatizer::make(both));
}

// The configuration in its one versioned form: whoever changes it must raise the stream version and update
// this value.
TEST_F(StreamIdentity, TheConfigurationIsPinned) {
  for (const OovPolicy oov : {OovPolicy::nearest, OovPolicy::bottom}) {
    PrivatizeOptions pinned = options(0.5);
    pinned.policy.oov = oov;
    const Receipt receipt = Privatizer::make(pinned).value()->receipt();
    random::CanonicalConfiguration expected;
    expected.add("mechanism", "diffractor-geometric");
    expected.add("epsilon", 0.5);
    expected.add("model", model_->digest());
    expected.add("parameter.lists", "L0");
    expected.add("policy.version", std::uint64_t{2});
    expected.add("policy.stopwords", "privatize");
    expected.add("policy.oov", to_string(oov));
    expected.add("policy.numbers", "random");
    expected.add("policy.punctuation", "keep");
    expected.add("policy.case", "natural");
    expected.add("policy.articles", "agree");
    expected.add("case.forms", embed::shipped_word_forms().value()->digest());
    expected.add("tokenizer.version", std::uint64_t{3});
    expected.add("unicode.version", text::unicode_tables_version());
    if (oov == OovPolicy::nearest) {
      expected.add("nearest.version", std::uint64_t{1});
      expected.add("nearest.map", embed::shipped_word_map().value()->digest());
      expected.add("nearest.map_version", std::uint64_t{3});
    }
    EXPECT_EQ(receipt.configuration_digest, base::to_hex(expected.digest())) << to_string(oov);
  }
}

}  // namespace
}  // namespace sotto
