#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

using namespace sotto::base;

// FIPS 180-4 example values.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
  Sha256 pieces;
  pieces.update("ab");
  pieces.update("");
  pieces.update("c");
  EXPECT_EQ(pieces.finish(), sha256("abc"));
}

}  // namespace
}  // namespace sotto
