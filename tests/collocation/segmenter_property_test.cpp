// Every method against a literal reading of its definition, on small random tables and texts.
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "collocation/segment_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::collocation;
using testing::segment;
using testing::Segmented;
using testing::TemporaryFolder;
using testing::write_table;

using Words = std::vector<std::string>;
using Lengths = std::vector<std::uint32_t>;

/// Phrases by their joined words; integer scores, so that sums of doubles are exact and ties are frequent.
struct Table {
  std::map<std::string, int> scores;

  std::vector<ScoredPhrase> phrases() const {
    std::vector<ScoredPhrase> all;
    for (const auto& [text, score] : scores) all.push_back({text, static_cast<double>(score), 1});
    return all;
  }
  /// The score of tokens [first, first + length); null if they are not a phrase. A single token scores 0.
  const int* score(const Words& text, std::size_t first, std::size_t length) const {
    static constexpr int kSingle = 0;
    if (first + length > text.size()) return nullptr;
    if (length == 1) return &kSingle;
    std::string joined = text[first];
    for (std::size_t i = first + 1; i < first + length; ++i) joined.append("_").append(text[i]);
    const auto found = scores.find(joined);
    return found == scores.end() ? nullptr : &found->second;
  }
};

Lengths literal_gst(const Table& table, const Words& text) {
  Lengths lengths;
  for (std::size_t i = 0; i < text.size(); i += lengths.back()) {
    std::uint32_t length = 3;
    while (table.score(text, i, length) == nullptr) --length;
    lengths.push_back(length);
  }
  return lengths;
}

Lengths literal_mst(const Table& table, const Words& text) {
  std::set<std::tuple<int, int, std::size_t>> candidates;  // by −score, −length, position
  for (std::size_t i = 0; i < text.size(); ++i)
    for (int length = 1; length <= 3; ++length)
      if (const int* score = table.score(text, i, static_cast<std::size_t>(length)))
        candidates.emplace(-*score, -length, i);
  std::set<std::size_t> taken;
  std::map<std::size_t, std::uint32_t> chosen;
  for (const auto& [score, length, first] : candidates) {
    std::set<std::size_t> positions;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(-length); ++i) positions.insert(i);
    bool free = true;
    for (const std::size_t position : positions) free &= !taken.contains(position);
    if (!free) continue;
    taken.insert(positions.begin(), positions.end());
    chosen[first] = static_cast<std::uint32_t>(-length);
  }
  Lengths lengths;
  for (const auto& [first, length] : chosen) lengths.push_back(length);
  return lengths;
}

/// Enumerates all segmentations. The optimal one has the largest (sum, −tokens, lengths).
using Ranked = std::tuple<int, int, Lengths>;
void all_segmentations(const Table& table, const Words& text, std::size_t first, const Ranked& so_far,
                       Ranked& best) {
  if (first == text.size()) {
    best = std::max(best, so_far);
    return;
  }
  for (std::uint32_t length = 1; length <= 3; ++length) {
    const int* score = table.score(text, first, length);
    if (score == nullptr) continue;
    Ranked next = so_far;
    std::get<0>(next) += *score;
    std::get<1>(next) -= 1;
    std::get<2>(next).push_back(length);
    all_segmentations(table, text, first + length, next, best);
  }
}

Lengths brute_force_optimal(const Table& table, const Words& text) {
  Ranked best(-1000000, 0, {});
  all_segmentations(table, text, 0, {0, 0, {}}, best);
  return std::get<2>(best);
}

Lengths lengths_of(const Segmented& segmented) {
  Lengths lengths;
  for (const Piece& piece : segmented.pieces) lengths.push_back(piece.length);
  return lengths;
}

std::string joined(const Words& text) {
  std::string all;
  for (const std::string& word : text) all += word + " ";
  return all;
}

/// Texts and tables over few words, so that nearly every pair is a phrase.
struct World {
  Table table;
  Words text;
};

World random_world() {
  const int alphabet = *rc::gen::inRange(1, 5);
  const auto word = [&] { return std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, alphabet))); };
  World world;
  const int phrases = *rc::gen::inRange(0, 20);
  for (int i = 0; i < phrases; ++i) {
    std::string phrase = word().append("_").append(word());
    if (*rc::gen::inRange(0, 2) == 1) phrase.append("_").append(word());
    world.table.scores[phrase] = *rc::gen::inRange(-2, 9);
  }
  const int length = *rc::gen::inRange(0, 14);
  for (int i = 0; i < length; ++i) world.text.push_back(word());
  return world;
}

/// RapidCheck reads its settings on first use.
const bool kSettings = ::setenv("RC_PARAMS", "seed=20261115 max_success=700", 1) == 0;

TEST(SegmenterProperty, MethodsAreWhatTheirDefinitionsSay) {
  ASSERT_TRUE(kSettings);
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&folder] {
    const World world = random_world();
    const auto table = write_table(folder, world.table.phrases());
    const std::string text = joined(world.text);
    const Segmented gst = segment(table, Segmentation::gst, text);
    const Segmented mst = segment(table, Segmentation::mst, text);
    const Segmented optimal = segment(table, Segmentation::optimal, text);
    RC_ASSERT(lengths_of(gst) == literal_gst(world.table, world.text));
    RC_ASSERT(lengths_of(mst) == literal_mst(world.table, world.text));
    RC_ASSERT(lengths_of(optimal) == brute_force_optimal(world.table, world.text));
    RC_ASSERT(optimal.sum >= mst.sum);
    RC_ASSERT(optimal.sum >= gst.sum);
  }));
}

/// Long enough that look-ups take several batches; sentence ends and punctuation among the words.
TEST(SegmenterProperty, PiecesPartitionTheTokensAndAreThePhrasesTheyName) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&folder] {
    World world = random_world();
    const auto table = write_table(folder, world.table.phrases());
    std::string text;
    std::mt19937 random(static_cast<unsigned>(*rc::gen::inRange(0, 1000000)));
    const std::size_t length = random() % 400;
    for (std::size_t i = 0; i < length; ++i) {
      text += static_cast<char>('a' + random() % 5);
      const char* gaps[] = {" ", " ", " ", " ", ", ", ". ", "\n\n", " 7 ", "  "};
      text += gaps[random() % 9];
    }
    std::vector<Token> tokens;
    tokenize(text, tokens);
    for (const Segmentation method :
         {Segmentation::none, Segmentation::gst, Segmentation::mst, Segmentation::optimal}) {
      const Segmented segmented = segment(table, method, text);
      std::uint32_t next = 0;
      for (std::size_t i = 0; i < segmented.pieces.size(); ++i) {
        const Piece& piece = segmented.pieces[i];
        RC_ASSERT(piece.first == next);
        next += piece.length;
        RC_ASSERT((piece.length == 1) == (piece.phrase == kNoPhrase));
        if (piece.length == 1) continue;
        RC_ASSERT(table->phrase(piece.phrase) == segmented.tokens[i]);
        for (std::uint32_t t = piece.first + 1; t < next; ++t) RC_ASSERT(!tokens[t].starts_sentence);
      }
      RC_ASSERT(next == tokens.size());
    }
  }));
}

/// Sentences are segmented independently: the pieces of a text are those of its sentences.
TEST(SegmenterProperty, SentencesDoNotTouchEachOther) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&folder] {
    const World one = random_world();
    World two = random_world();
    two.table = one.table;
    const auto table = write_table(folder, one.table.phrases());
    for (const Segmentation method : {Segmentation::gst, Segmentation::mst, Segmentation::optimal}) {
      Lengths expected = lengths_of(segment(table, method, joined(one.text)));
      expected.push_back(1);
      const Lengths rest = lengths_of(segment(table, method, joined(two.text)));
      expected.insert(expected.end(), rest.begin(), rest.end());
      RC_ASSERT(lengths_of(segment(table, method, joined(one.text) + ". " + joined(two.text))) == expected);
    }
  }));
}

}  // namespace
}  // namespace sotto
