// The receipt is public: two inputs that the guarantee covers and that gave the same output must have the
// same receipt. Checked on a vocabulary of three words, where every pair of short texts can be tried.
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;
using Json = nlohmann::json;

/// A token as an observer who knows the adjacency would describe it.
struct Piece {
  std::string text;
  std::string token_class;
  std::string letter_case;
  bool kept_by_stopwords = false;
  bool outside = false;
};

const std::vector<Piece> kPieces = {
    {"soup", "word", "lower"},
    {"cold", "word", "lower"},
    {"Cold", "word", "capitalized"},
    {"the", "word", "lower", true},
    {"zebra", "word", "lower", false, true},
    {"www.example.org", "word", "lower", false, true},
    {"12", "number", ""},
    {"57", "number", ""},
    {"130", "number", ""},
    {"!", "punctuation", ""},
    {"?", "punctuation", ""},
};

std::string number_shape(const std::string& number) {
  return std::string(number.size(), '9');
}

/// What two tokens must have in common for one trait of the adjacency.
std::string trait_of(const Piece& piece, const std::string& trait, const Policy& policy) {
  const bool word = piece.token_class == "word";
  const bool stopword = piece.kept_by_stopwords && policy.stopwords == StopwordPolicy::keep;
  if (trait == "token classes") return piece.token_class;
  if (trait == "punctuation") return piece.token_class == "punctuation" ? piece.text : "";
  if (trait == "whitespace") return "";  // always one blank here
  if (trait == "digit counts and separators of numbers")
    return piece.token_class == "number" ? number_shape(piece.text) : "";
  if (trait == "kept words")
    return stopword || (policy.oov == OovPolicy::keep && piece.outside) ? piece.text : "";
  if (trait == "places of dropped words") return !stopword && piece.outside ? "dropped" : "";
  if (trait == "kept numbers") return piece.token_class == "number" ? piece.text : "";
  if (trait == "letter case") return word ? piece.letter_case : "";
  ADD_FAILURE() << "a trait that this test does not know: " << trait;
  return {};
}

class PublicReceiptTest : public PipelineTest {
 protected:
  PublicReceiptTest() {
    write_list_set(path("three.safetensors"), {"soup", "cold", "the"}, {{"a", {0, 1, 2}}});
  }

  PrivatizeOptions three_words(const Policy& policy, char key) {
    write("key", std::string(32, key));
    PrivatizeOptions with = options(1);
    with.mechanism.model = path("three.safetensors").string();
    with.policy = policy;
    return with;
  }

  /// Output and receipt of a run over one text.
  std::pair<std::string, Json> run_once(const std::string& text, const PrivatizeOptions& with) {
    write("in.txt", text + "\n");
    FileOptions over = files("in.txt", "out.txt");
    over.report = path("receipt.json");
    const std::string output = run(with, over);
    return {output, Json::parse(read("receipt.json"))};
  }

  void check(const Policy& policy) {
    std::map<std::string, Json> receipts;  // by adjacency and output
    std::size_t compared = 0;
    for (const char key : {'a', 'b', 'c'})
      for (const Piece& first : kPieces)
        for (const Piece& second : {kPieces[0], kPieces[4], kPieces[6], kPieces[9]}) {  // one of each kind
          const auto [output, receipt] = run_once(first.text + " " + second.text, three_words(policy, key));
          std::string name = output;
          for (const std::string trait : receipt["guarantee"]["adjacency"])
            name.append("|")
                .append(trait_of(first, trait, policy))
                .append(",")
                .append(trait_of(second, trait, policy));
          const auto [known, is_new] = receipts.try_emplace(name, receipt);
          compared += !is_new;
          ASSERT_EQ(known->second, receipt) << "'" << first.text << " " << second.text << "' gave " << output;
        }
    EXPECT_GT(compared, 20U);
  }
};

TEST_F(PublicReceiptTest, IsEqualForAdjacentInputsWithEqualOutput) {
  check(Policy::strict());
  check(Policy::paper());
  for (const auto& [part, value] : std::vector<std::pair<std::string, std::string>>{{"oov", "bottom"},
                                                                                    {"oov", "keep"},
                                                                                    {"oov", "drop"},
                                                                                    {"stopwords", "keep"},
                                                                                    {"numbers", "keep"},
                                                                                    {"numbers", "drop"},
                                                                                    {"punctuation", "drop"},
                                                                                    {"case", "position"},
                                                                                    {"articles", "keep"},
                                                                                    {"case", "keep"},
                                                                                    {"case", "lower"}}) {
    SCOPED_TRACE(part + " " + value);
    Policy policy;
    ASSERT_TRUE(set_policy_part(policy, part, value));
    check(policy);
  }
}

TEST_F(PublicReceiptTest, DoesNotTellWhetherAWordChanged) {
  PrivatizeOptions with = three_words(Policy::strict(), 'k');
  std::map<std::string, Json> receipts;
  for (const char key : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'})
    for (const std::string word : {"soup", "cold", "the"}) {
      write("key", std::string(32, key));
      const auto [output, receipt] = run_once(word, with);
      EXPECT_EQ(receipts.try_emplace(output, receipt).first->second, receipt) << word << " gave " << output;
    }
  EXPECT_LE(receipts.size(), 3U);
}

/// Whether a document was charged reveals whether this very text had been released before.
TEST_F(PublicReceiptTest, DoesNotTellARepeatFromAFirstRelease) {
  const PrivatizeOptions with = three_words(Policy::strict(), 'k');
  const auto run_with_ledger = [&](const std::string& text, const std::string& ledger) {
    write("in.jsonl", Json{{"id", 1}, {"who", "ann"}, {"text", text}}.dump() + "\n");
    FileOptions over = files("in.jsonl", "out.jsonl");
    over.fields = {"text"};
    over.id_field = "id";
    over.report = path("receipt.json");
    over.statistics = path("statistics.json");
    over.ledger = LedgerOptions{path(ledger), "who", 100};
    run(with, over);
    Json receipt = Json::parse(read("receipt.json"));
    receipt["ledger"].erase("id");    // random
    receipt["ledger"].erase("head");  // pseudorandom without the key
    return receipt;
  };
  const Json first = run_with_ledger("soup", "a.ledger");
  EXPECT_EQ(first, run_with_ledger("soup", "a.ledger"));
  EXPECT_EQ(Json::parse(read("statistics.json"))["ledger"]["repeated_documents"], 1);
}

TEST_F(PublicReceiptTest, StatisticsAreAFileOfTheirOwnForTheOwnerOnly) {
  write("in.txt", "soup zebra www.example.org 12\n");
  FileOptions over = files("in.txt", "out.txt");
  over.statistics = path("statistics.json");
  write("statistics.json", "an older file that everybody may read");
  std::filesystem::permissions(path("statistics.json"), std::filesystem::perms(0644));
  run(options(), over);
  EXPECT_EQ(std::filesystem::status(path("statistics.json")).permissions(), std::filesystem::perms(0600));
  const Json statistics = Json::parse(read("statistics.json"));
  EXPECT_EQ(statistics["confidential"], "not covered by the guarantee");
  EXPECT_EQ(statistics["privatized"]["outside_vocabulary"], 2);
  EXPECT_EQ(statistics["tokens"]["other"], 1);
  EXPECT_EQ(statistics["bytes_in"], 29);
}

}  // namespace
}  // namespace sotto
