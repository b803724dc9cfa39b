// The shipped map: what comes out for strings as people write them. A change here is a change of output, so
// it needs a new kWordMapVersion.
#include <cstdlib>

#include <gtest/gtest.h>

#include "embed/word_map.hpp"
#include "support/every_target.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;

const WordMap& shipped() {
  static const auto kMap = WordMap::open(SOTTO_SHIPPED_WORD_MAP).value();
  return *kMap;
}

TEST(ShippedWordMap, StringsAndTheirWords) {
  struct ShippedCase {
    const char* token;
    const char* word;
    WordPath path;
  };
  const ShippedCase cases[] = {
      // case, accents, elongation, abbreviations, endings, compounds
      {"loooove", "love", WordPath::folded},
      {"pleaseeee", "please", WordPath::folded},
      {"heyyyy", "hey", WordPath::folded},
      {"whaaaat", "what", WordPath::folded},
      {"reallyyyy", "really", WordPath::folded},
      {"yaaaay", "yay", WordPath::folded},
      {"happpyyyy", "happy", WordPath::folded},
      {"omggggg", "omg", WordPath::folded},
      {"sweeeet", "sweet", WordPath::folded},
      {"zoë", "zoe", WordPath::folded},
      {"façade", "facade", WordPath::folded},
      {"fiancée", "fiancee", WordPath::folded},
      {"über", "uber", WordPath::folded},
      {"#Sunset", "sunset", WordPath::folded},
      {"#sunset", "sunset", WordPath::folded},
      {"#MondayMotivation", "motivation", WordPath::folded},
      {"#TBT", "throwback", WordPath::folded},
      {"#BlackFriday", "friday", WordPath::folded},
      {"truely", "true", WordPath::folded},
      {"noticable", "notice", WordPath::folded},
      {"weather's", "weather", WordPath::folded},
      {"grandma's", "grandma", WordPath::folded},
      {"boss's", "boss", WordPath::folded},
      {"kids'", "kids", WordPath::folded},
      {"teachers'", "teachers", WordPath::folded},
      {"emailing", "email", WordPath::folded},
      {"texted", "text", WordPath::folded},
      {"facebooking", "facebook", WordPath::folded},
      {"hiked", "hike", WordPath::folded},
      {"yummiest", "yummy", WordPath::folded},
      {"laziest", "lazy", WordPath::folded},
      {"lovely-ish", "lovely", WordPath::folded},
      {"Jennifer", "jennifer", WordPath::folded},
      {"Mohammed", "mohammed", WordPath::folded},
      {"Nguyen", "nguyen", WordPath::folded},
      {"Gonzalez", "gonzalez", WordPath::folded},
      {"Johannesburgers", "johannesburg", WordPath::folded},
      {"p.m.", "pm", WordPath::folded},
      {"P.M.", "pm", WordPath::folded},
      {"a.m.", "morning", WordPath::folded},
      {"e.g.", "eg", WordPath::folded},
      {"i.e.", "ie", WordPath::folded},
      {"U.S.", "usa", WordPath::folded},
      {"U.S.A.", "usa", WordPath::folded},
      {"U.K.", "uk", WordPath::folded},
      {"I.T.", "computing", WordPath::folded},
      {"O.M.G.", "omg", WordPath::folded},
      {"lmfao", "lol", WordPath::folded},
      {"ttyl", "later", WordPath::folded},
      {"rofl", "lol", WordPath::folded},
      {"bday", "birthday", WordPath::folded},
      {"wifey", "wife", WordPath::folded},
      {"finna", "going", WordPath::folded},
      {"prolly", "probably", WordPath::folded},
      {"Café", "cafe", WordPath::folded},
      {"CAFÉ", "cafe", WordPath::folded},
      {"naïve", "naive", WordPath::folded},
      {"résumé", "resume", WordPath::folded},
      {"soooo", "so", WordPath::folded},
      {"sooooooooooooooooooooooooooooooooooooo", "so", WordPath::folded},
      {"noooo", "no", WordPath::folded},
      {"yessss", "yes", WordPath::folded},
      {"cooool", "cool", WordPath::folded},
      {"coooolest", "coolest", WordPath::folded},
      {"pleeeaaase", "please", WordPath::folded},
      {"hahahaha", "haha", WordPath::folded},
      {"yummmy", "yummy", WordPath::folded},
      {"#love", "love", WordPath::folded},
      {"#ThrowbackThursday", "throwback", WordPath::folded},
      {"#MakeAmericaGreatAgain", "america", WordPath::folded},
      {"#FollowFriday", "friday", WordPath::folded},
      {"snake_case_name", "snake", WordPath::folded},
      {"youre", "you're", WordPath::folded},
      {"thx", "thanks", WordPath::folded},
      {"plz", "please", WordPath::folded},
      {"lmao", "lol", WordPath::folded},
      {"idk", "don't", WordPath::folded},
      {"googling", "google", WordPath::folded},
      {"googled", "google", WordPath::folded},
      {"blogging", "blog", WordPath::folded},
      {"blogged", "blog", WordPath::folded},
      {"tweeting", "tweet", WordPath::folded},
      {"YouTube", "youtube", WordPath::folded},
      {"iPhone", "iphone", WordPath::folded},
      {"iphones", "iphone", WordPath::folded},
      {"McDonalds", "mcdonalds", WordPath::folded},
      {"Trump's", "trump's", WordPath::folded},
      {"Obama's", "obama's", WordPath::folded},
      {"Merkel", "merkel", WordPath::folded},
      {"Zuckerberg", "zuckerberg", WordPath::folded},
      {"Schwarzenegger", "schwarzenegger", WordPath::folded},
      {"São", "sao", WordPath::folded},
      {"Müller", "muller", WordPath::folded},
      {"ﬁsh", "fish", WordPath::folded},
      {"\uFF48\uFF45\uFF4C\uFF4C\uFF4F", "hello", WordPath::folded},
      {"\U0001D421\U0001D41E\U0001D425\U0001D425\U0001D428", "hello", WordPath::folded},
      {"h\u0336e\u0336l\u0336l\u0336o\u0336", "hello", WordPath::folded},
      {"e-mail", "email", WordPath::folded},
      {"self-driving", "driving", WordPath::folded},
      {"rock'n'roll", "roll", WordPath::folded},
      {"awesomeness", "awesome", WordPath::folded},
      {"selfie-stick", "selfie", WordPath::folded},
      {"zzzzz", "sleep", WordPath::folded},
      {"aaaaargh", "ugh", WordPath::folded},
      {"chillin", "chilling", WordPath::folded},
      {"tacos", "taco", WordPath::folded},
      {"Instagram", "instagram", WordPath::folded},
      {"Snapchat", "snapchat", WordPath::folded},
      {"Netflix", "netflix", WordPath::folded},
      {"kitteh", "kitten", WordPath::folded},
      {"doggo", "dog", WordPath::folded},
      // spelling
      {"señor", "senior", WordPath::corrected},
      {"wonderfull", "wonderful", WordPath::corrected},
      {"beautifull", "beautiful", WordPath::corrected},
      {"tomorow", "tomorrow", WordPath::corrected},
      {"tommorrow", "tomorrow", WordPath::corrected},
      {"suprised", "surprised", WordPath::corrected},
      {"wich", "which", WordPath::corrected},
      {"whcih", "which", WordPath::corrected},
      {"adress", "address", WordPath::corrected},
      {"calender", "calendar", WordPath::corrected},
      {"cemetary", "cemetery", WordPath::corrected},
      {"embarass", "embarrass", WordPath::corrected},
      {"enviroment", "environment", WordPath::corrected},
      {"existance", "existence", WordPath::corrected},
      {"familar", "familiar", WordPath::corrected},
      {"finaly", "finally", WordPath::corrected},
      {"foriegn", "foreign", WordPath::corrected},
      {"gaurd", "guard", WordPath::corrected},
      {"happend", "happened", WordPath::corrected},
      {"immediatly", "immediately", WordPath::corrected},
      {"independant", "independent", WordPath::corrected},
      {"knowlege", "knowledge", WordPath::corrected},
      {"libary", "library", WordPath::corrected},
      {"neccessary", "necessary", WordPath::corrected},
      {"occassion", "occasion", WordPath::corrected},
      {"posession", "possession", WordPath::corrected},
      {"publically", "publicly", WordPath::corrected},
      {"recomend", "recommend", WordPath::corrected},
      {"refered", "referred", WordPath::corrected},
      {"relevent", "relevant", WordPath::corrected},
      {"religous", "religious", WordPath::corrected},
      {"succesful", "successful", WordPath::corrected},
      {"suprise", "surprise", WordPath::corrected},
      {"truley", "truly", WordPath::corrected},
      {"vaccum", "vacuum", WordPath::corrected},
      {"hahahahahah", "haha", WordPath::folded},
      {"recieve", "receive", WordPath::corrected},
      {"recieved", "received", WordPath::corrected},
      {"definately", "definitely", WordPath::corrected},
      {"seperate", "separate", WordPath::corrected},
      {"teh", "the", WordPath::corrected},
      {"hte", "the", WordPath::corrected},
      {"thsi", "this", WordPath::corrected},
      {"waht", "what", WordPath::corrected},
      {"becuase", "because", WordPath::corrected},
      {"wierd", "weird", WordPath::corrected},
      {"freind", "friend", WordPath::corrected},
      {"freinds", "friends", WordPath::corrected},
      {"tommorow", "tomorrow", WordPath::corrected},
      {"goverment", "government", WordPath::corrected},
      {"accomodate", "accommodate", WordPath::corrected},
      {"occured", "occurred", WordPath::corrected},
      {"untill", "until", WordPath::corrected},
      {"begining", "beginning", WordPath::corrected},
      {"beleive", "believe", WordPath::corrected},
      {"comming", "coming", WordPath::corrected},
      {"runing", "running", WordPath::corrected},
      {"unfriend", "unfriendly", WordPath::corrected},
      {"hangry", "hungry", WordPath::corrected},
      {"spaghettios", "spaghetti", WordPath::corrected},
      {"couldve", "could've", WordPath::corrected},
      {"shouldve", "should've", WordPath::corrected},
      // parts of words, names, slang
      {"#iloveyou", "dearest", WordPath::subword},
      {"bestfriend", "friend", WordPath::subword},
      {"goodmorning", "morning", WordPath::subword},
      {"Kaitlyn", "kathryn", WordPath::subword},
      {"Aaliyah", "muhammad", WordPath::subword},
      {"Priyanka", "lanka", WordPath::subword},
      {"Springfieldton", "kentucky", WordPath::subword},
      {"lololol", "lol", WordPath::folded},
      {"throwbackthursday", "friday", WordPath::subword},
      {"happybirthday", "birthday", WordPath::subword},
      {"#happybirthday", "birthday", WordPath::subword},
      {"retweet", "twitter", WordPath::subword},
      {"Gesundheit", "norwegian", WordPath::subword},
      {"awesomesauce", "amazing", WordPath::subword},
      {"besties", "favorites", WordPath::subword},
      {"hotdogs", "dogs", WordPath::subword},
      {"amazeballs", "amazing", WordPath::subword},
      {"ginormous", "terrific", WordPath::subword},
      {"hackathon", "hack", WordPath::subword},
      {"photoshopped", "photo", WordPath::subword},
  };
  const std::size_t targets = testing::on_every_target([&](const char* target) {
    for (const ShippedCase& c : cases) {
      std::string word;
      const WordPath path = shipped().find(c.token, [&](std::string_view candidate) {
        word = candidate;
        return true;
      });
      EXPECT_EQ(word, c.word) << c.token << ' ' << target;
      EXPECT_EQ(path, c.path) << c.token << ' ' << target;
    }
  });
  EXPECT_GT(targets, 0U);
}

TEST(ShippedWordMap, StringsWithoutAPlace) {
  for (const char* token : {"a.b",         "v1.2",
                            ".a.b.",       "e.g.x",
                            "Mr.",         "asdfghjkl",
                            "xqzjk",       "http://t.co/abc",
                            "www.foo.com", "me@example.com",
                            "@jack",       "gr8",
                            "b4",          "2nd",
                            "user123",     "привет",
                            "日本語",      "h\u0435llo",
                            "\U0001F600",  "\u2764\uFE0F",
                            "#",           "_",
                            "---"}) {
    const WordPath path = shipped().find(token, [](std::string_view) { return true; });
    EXPECT_EQ(path, WordPath::none) << token;
  }
}

// A model may lack any word: whatever is accepted is reached.
TEST(ShippedWordMap, EveryWordIsOfferedInTheEnd) {
  for (const char* wanted : {"the", "andorra", "zoology"}) {
    std::string last;
    const WordPath path = shipped().find("snarkiest", [&](std::string_view candidate) {
      last = candidate;
      return candidate == wanted;
    });
    EXPECT_EQ(path, WordPath::subword) << wanted;
    EXPECT_EQ(last, wanted);
  }
}

// "U.S." is not "us", whatever words a model has.
TEST(ShippedWordMap, AbbreviationsAreNoStopwords) {
  for (const char* token : {"U.S.", "a.m.", "I.T.", "W.H.O.", "u.p.", "M.E.", "O.R.", "D.O.", "I.S."}) {
    std::string letters;
    for (const char* c = token; *c != 0; ++c)
      if (*c != '.') letters += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c + 32) : *c;
    std::size_t offered = 0;
    (void)shipped().find(token, [&](std::string_view word) {
      EXPECT_NE(word, letters) << token;
      return ++offered == 5;
    });
  }
}

TEST(ShippedWordMap, FileIsSmall) {
  EXPECT_LE(std::filesystem::file_size(SOTTO_SHIPPED_WORD_MAP), 3'000'000U);
}

}  // namespace
}  // namespace sotto
