// Articles under the default policy: the opponent gets texts whose articles differ and looks for a trace.
#include <gtest/gtest.h>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class ArticleTest : public PipelineTest {
 protected:
  ArticleTest() {
    const std::vector<std::string> words = {"a", "an", "dog", "old", "hour", "university", "was", "european"};
    write_list_set(path("articles.safetensors"), words, {{"a", stepping_order(words.size(), 1)}});
  }

  /// So little noise that words stay, unless told.
  PrivatizeOptions articles(double epsilon = 1e6) const {
    PrivatizeOptions with = options(epsilon);
    with.mechanism.model = path("articles.safetensors").string();
    return with;
  }
};

TEST_F(ArticleTest, AgreeWithTheNextWord) {
  EXPECT_EQ(rewrite("a old dog was an dog. an university, a hour", articles()),
            "An old dog was a dog. A university, an hour");
  PrivatizeOptions keep = articles();
  keep.policy.articles = ArticlePolicy::keep;
  EXPECT_EQ(rewrite("a old dog was an dog", keep), "A old dog was an dog");
}

// Which of the two stood in the input, or was drawn, is gone.
TEST_F(ArticleTest, NoTraceOfTheInput) {
  EXPECT_EQ(rewrite("was a old a dog a hour", articles()), rewrite("was an old an dog an hour", articles()));
  for (int i = 0; i < 50; ++i) {
    const std::string out =
        rewrite("was a dog an old a hour " + std::string(static_cast<std::size_t>(i), ' '), articles(0.5));
    for (const char* wrong :
         {" a old", " a hour", " a a", " an dog", " an was", " an university", " an european"})
      EXPECT_EQ(out.find(std::string(wrong) + ' '), std::string::npos) << out;
  }
}

TEST_F(ArticleTest, KeptArticlesAgreeToo) {
  PrivatizeOptions paper = articles();
  paper.policy = Policy::paper();
  EXPECT_EQ(rewrite("a old dog an dog", paper), "a old dog an dog") << "as in the papers";
  paper.policy.articles = ArticlePolicy::agree;
  EXPECT_EQ(rewrite("a old dog an dog", paper), "an old dog a dog");
}

TEST_F(ArticleTest, BeforeANumberTheDrawnDigitsDecide) {
  bool seen_an = false, seen_a = false;
  for (int i = 0; i < 100; ++i) {
    const std::string out = rewrite("was a 7" + std::string(static_cast<std::size_t>(i), ' '), articles());
    const bool an = out.starts_with("Was an ");
    EXPECT_EQ(an, out[out.find_first_of("0123456789")] == '8') << out;
    (an ? seen_an : seen_a) = true;
  }
  EXPECT_TRUE(seen_an && seen_a);
}

TEST_F(ArticleTest, DocumentsAreIndependent) {
  // The end of one document and the beginning of the next are beside each other in the output.
  write("in.txt", "dog a\nold dog\ndog an\ndog\n");
  EXPECT_EQ(run(articles(), files("in.txt", "out.txt")), "Dog a\nOld dog\nDog an\nDog\n");
}

}  // namespace
}  // namespace sotto
