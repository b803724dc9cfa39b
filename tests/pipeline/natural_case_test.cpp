// Capitals under the default policy: they follow output words and output positions, whatever the input had.
#include <gtest/gtest.h>

#include "embed/word_forms.hpp"
#include "pipeline/rewrite/display_words.hpp"
#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class NaturalCase : public PipelineTest {
 protected:
  NaturalCase() {
    const std::vector<std::string> words = {"munich", "nasa", "iphone", "i",    "i'm", "soup", "was",
                                            "cold",   "may",  "Zz",     "Wien", "the", "u.s.", "p.m."};
    write_list_set(path("names.safetensors"), words, {{"a", stepping_order(words.size(), 1)}});
  }

  PrivatizeOptions names(double epsilon) const {
    PrivatizeOptions with = options(epsilon);
    with.mechanism.model = path("names.safetensors").string();
    return with;
  }
};

TEST_F(NaturalCase, EachWordHasItsUsualForm) {
  // So little noise that words stay.
  EXPECT_EQ(rewrite("soup munich nasa iphone i was cold. may i'm", names(1e6)),
            "Soup Munich NASA iPhone I was cold. May I'm");
  EXPECT_EQ(rewrite("iphone was. IPHONE was", names(1e6)), "iPhone was. iPhone was");
  EXPECT_EQ(rewrite("the U.s. P.M. p.m. u.s.. p.m.? p.m.", names(1e6)), "The U.S. p.m. p.m. U.S. P.m.? P.m.");
  EXPECT_EQ(rewrite("was ZZ wien", names(1e6)), "Was Zz Wien") << "without a form, as in the model";
}

TEST_F(NaturalCase, OtherPoliciesUseNoForms) {
  PrivatizeOptions with = names(1e6);
  with.policy.letter_case = CasePolicy::position;
  EXPECT_EQ(rewrite("soup munich nasa i", with), "Soup munich nasa I");
  with.policy.letter_case = CasePolicy::lower;
  EXPECT_EQ(rewrite("Soup MUNICH nasa I", with), "soup munich nasa i");
  EXPECT_EQ(Policy::paper().letter_case, CasePolicy::position);
}

// The capitals of the input change nothing, not even which noise is drawn into the words: at this ε the words
// stay, so outputs are equal.
TEST_F(NaturalCase, CapitalsOfTheInputLeaveNoTrace) {
  const std::string expected = rewrite("soup was munich nasa i may", names(1e6));
  for (const char* text : {"SOUP WAS MUNICH NASA I MAY", "Soup Was Munich Nasa I May",
                           "sOUP wAS mUNICH nASA i mAY", "soup was Munich NASA i May"})
    EXPECT_EQ(rewrite(text, names(1e6)), expected) << text;
}

TEST_F(NaturalCase, TheTableIsPartOfReceiptAndConfiguration) {
  const Receipt natural = Privatizer::make(names(1)).value()->receipt();
  EXPECT_EQ(natural.word_forms_digest, embed::shipped_word_forms().value()->digest());
  PrivatizeOptions with = names(1);
  with.policy.letter_case = CasePolicy::position;
  const Receipt position = Privatizer::make(with).value()->receipt();
  EXPECT_EQ(position.word_forms_digest, "");
  EXPECT_NE(position.configuration_digest, natural.configuration_digest);
}

}  // namespace
}  // namespace sotto
