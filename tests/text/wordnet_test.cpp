#include "text/wordnet.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::text;
using namespace sotto::testing;
using Strings = std::vector<std::string>;

class WordNetTest : public testing::FolderTest {
 protected:
  WordNetTest() {
    write_tiny_wordnet(folder_.path(),
                       {{'n', {"dog", "domestic_dog", "Canis_familiaris"}},
                        {'n', {"frump", "dog"}},
                        {'n', {"goose"}},
                        {'n', {"woman"}},
                        {'n', {"boss"}},
                        {'n', {"Paris", "French_capital"}},
                        {'v', {"chase", "dog", "trail"}},
                        {'v', {"carry"}},
                        {'v', {"hop"}},
                        {'v', {"hope"}},
                        {'a', {"galore(ip)"}},
                        {'a', {"large", "big"}},
                        {'r', {"well"}}},
                       {{'n', "geese goose\n"}, {'a', "bigger big\n"}, {'r', "best well badly\n"}});
  }

  Result<WordNet> open() const { return WordNet::open(folder_.path()); }
  /// All words that share a synset with `word`, in file order.
  static Strings synonyms(const WordNet& net, std::string_view word) {
    Strings all;
    for (const Synset& synset : net.synsets(word)) {
      const auto words = net.words(synset).value();
      all.insert(all.end(), words.begin(), words.end());
    }
    return all;
  }
};

TEST_F(WordNetTest, FindsTheWordsOfEverySense) {
  const WordNet net = open().value();
  const Strings expected = {"dog", "domestic_dog", "Canis_familiaris", "frump", "dog", "chase",
                            "dog", "trail"};
  EXPECT_EQ(synonyms(net, "dog"), expected);
  EXPECT_EQ(synonyms(net, "dogs"), expected);
  EXPECT_EQ(synonyms(net, "paris"), (Strings{"Paris", "French_capital"}));
  EXPECT_EQ(synonyms(net, "galore"), Strings{"galore"}) << "the marker (ip) is no part of the word";
  EXPECT_EQ(synonyms(net, "cat"), Strings{});
  EXPECT_EQ(synonyms(net, ""), Strings{});
}

TEST_F(WordNetTest, KnowsBaseForms) {
  const WordNet net = open().value();
  EXPECT_EQ(net.base_forms("women", PartOfSpeech::noun), Strings{"woman"});
  EXPECT_EQ(net.base_forms("bosses", PartOfSpeech::noun), Strings{"boss"});
  EXPECT_EQ(net.base_forms("boss", PartOfSpeech::noun), Strings{"boss"});
  EXPECT_EQ(net.base_forms("geese", PartOfSpeech::noun), Strings{"goose"});
  EXPECT_EQ(net.base_forms("carries", PartOfSpeech::verb), Strings{"carry"});
  EXPECT_EQ(net.base_forms("carries", PartOfSpeech::noun), Strings{});
  EXPECT_EQ(net.base_forms("hoped", PartOfSpeech::verb), (Strings{"hope", "hop"}));
  EXPECT_EQ(net.base_forms("hoping", PartOfSpeech::verb), (Strings{"hope", "hop"}));
  EXPECT_EQ(net.base_forms("larger", PartOfSpeech::adjective), Strings{"large"});
  EXPECT_EQ(net.base_forms("larger", PartOfSpeech::adverb), Strings{});
  EXPECT_EQ(net.base_forms("bigger", PartOfSpeech::adjective), Strings{"big"});
  EXPECT_EQ(net.base_forms("best", PartOfSpeech::adverb), Strings{"well"}) << "badly is not in the index";
  EXPECT_EQ(net.base_forms("s", PartOfSpeech::verb), Strings{});
}

TEST_F(WordNetTest, ErrorsNameFileAndLine) {
  const std::string index = base::read_file(path("index.verb")).value();
  const auto with_index = [&](const std::string& line) {
    write("index.verb", index + line);
    return open();
  };
  const Errc bad = Errc::bad_format;
  expect_error(with_index("run n 1 0 1 0 00000034\n"), bad, {"index.verb, line 8", "'n'", "'v'"});
  expect_error(with_index("run v x 0 1 0 00000034\n"), bad, {"index.verb, line 8", "numbers of synsets"});
  expect_error(with_index("run v 1 99999 1 0 00000034\n"), bad, {"index.verb, line 8", "pointers"});
  expect_error(with_index("run v 2 0 2 0 00000034\n"), bad, {"line 8", "2 synsets announced, 1 found"});
  expect_error(with_index("run v 4000000000 0 2 0 00000034\n"), bad, {"line 8", "1 found"});
  expect_error(with_index("run v 1 0 1 0 00099999\n"), bad, {"line 8", "99999", "beyond"});
  expect_error(with_index("run"), bad, {"index.verb, line 8"});
  write("index.verb", index);
  write("noun.exc", "mice mouse\ngeese\n");
  expect_error(open(), bad, {"noun.exc, line 2"});
  std::filesystem::remove(path("noun.exc"));
  expect_error(open(), Errc::not_found, {"noun.exc"});
}

TEST_F(WordNetTest, ErrorsInSynsetsNameFileAndLine) {
  const auto words = [&](const std::string& data) -> Result<Strings> {
    write("data.adv", data);
    write("index.adv", "well r 1 0 1 0 00000003\n");
    const WordNet net = open().value();
    SOTTO_ASSIGN(const auto found, net.words(net.synsets("well").at(0)));
    return Strings(found.begin(), found.end());
  };
  EXPECT_EQ(words("  \n00000003 02 r 01 well 0 000 | x\n").value(), Strings{"well"});
  expect_error(words("  \n00000004 02 r 01 well 0 000 | x\n"), Errc::bad_format,
               {"data.adv, line 2", "synset 3"});
  expect_error(words("  \n00000003 02 r 00\n"), Errc::bad_format, {"data.adv, line 2", "01 to ff"});
  expect_error(words("  \n00000003 02 r ffff well 0\n"), Errc::bad_format, {"data.adv, line 2"});
  expect_error(words("  \n00000003 02 r 03 well 0 good 0"), Errc::bad_format, {"3 words announced, 2 found"});
  expect_error(words("  \n00000003"), Errc::bad_format, {"data.adv, line 2"});
  expect_error(words("  \n00000003 02 r 01 well 0 xyz"), Errc::bad_format, {"number of pointers"});
  expect_error(words("  \n00000003 02 r 01 well 0 002 ! 00000003 r 0101 ! 0000"), Errc::bad_format,
               {"2 pointers announced, 1 found"});
}

TEST_F(WordNetTest, Antonyms) {
  write_tiny_wordnet(folder_.path(), {{'a', {"Good", "fine"}, 1},
                                      {'a', {"bad", "ill"}, 0},
                                      {'v', {"win"}, 3},
                                      {'v', {"lose"}, 2},
                                      {'a', {"ill(p)"}}});
  const WordNet net = open().value();
  EXPECT_EQ(net.antonyms("good").value(), Strings{"bad"});
  EXPECT_EQ(net.antonyms("bad").value(), Strings{"good"});
  // Not those of a synonym, but those of an inflected form's base.
  EXPECT_EQ(net.antonyms("fine").value(), Strings{});
  EXPECT_EQ(net.antonyms("ill").value(), Strings{});
  EXPECT_EQ(net.antonyms("wins").value(), Strings{"lose"});
  EXPECT_EQ(net.antonyms("soup").value(), Strings{});
}

// Every prefix of two files yields an error that names the file, or an answer, and nothing else.
TEST_F(WordNetTest, TruncatedFilesAreErrorsOrShorter) {
  for (const std::string name : {"index.noun", "data.noun"}) {
    const std::string whole = base::read_file(path(name)).value();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write(name, whole.substr(0, size));
      const auto net = open();
      if (!net) {
        EXPECT_NE(net.error().message.find("index.noun, line "), std::string::npos) << net.error().message;
        continue;
      }
      for (const Synset& synset : net->synsets("dog"))
        if (const auto words = net->words(synset); !words) {
          EXPECT_NE(words.error().message.find("data.noun, line "), std::string::npos);
        }
    }
    write(name, whole);
  }
}

}  // namespace
}  // namespace sotto
