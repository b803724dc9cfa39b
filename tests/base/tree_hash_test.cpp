#include "base/tree_hash.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace sotto {
namespace {

using namespace sotto::base;

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i + i / 251);
  return bytes;
}

// Computed with Python's hashlib.blake2b(…, digest_size=32, person=b"sotto-tree-leaf") and "sotto-tree-root".
TEST(TreeHash, KnownAnswers) {
  EXPECT_EQ(tree_hash(std::string_view()),
            "316037b03c2f3c5b4d86a029dac1c688e7159aa952117382298ab98d7cef0205");
  EXPECT_EQ(tree_hash("abc"), "38811f4ea82a64e4717077b4f1392d76c7e3e1c9d90a3e44aab40dd540b37975");
  EXPECT_EQ(tree_hash(pattern(kTreeLeafBytes)),
            "5a9a5fe46d92ba28d589ad9be81f59435c7b062ab49934854f5e8c81c543efd1");
  EXPECT_EQ(tree_hash(pattern(kTreeLeafBytes + 1)),
            "04efaca5e38d3ea9d77b48433c55a65683a8f5a17166fdc34106b1d3a336f3d2");
}

TEST(TreeHash, DoesNotDependOnThreads) {
  const std::string bytes = pattern(9 * kTreeLeafBytes + 7);
  for (const unsigned threads : {0U, 1U, 2U, 3U, 16U})
    EXPECT_EQ(tree_hash(bytes, threads), "d8a1872b96e8885980507e7048bc7aa6b2cf52a1597a3630cbba8d7e113163d7");
}

TEST(TreeHash, EveryByteAndTheLengthCount) {
  std::string bytes = pattern(2 * kTreeLeafBytes + 3);
  const std::string whole = tree_hash(bytes);
  for (const std::size_t at :
       {std::size_t{0}, kTreeLeafBytes - 1, kTreeLeafBytes, 2 * kTreeLeafBytes, bytes.size() - 1}) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_NE(tree_hash(bytes), whole) << at;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
  EXPECT_NE(tree_hash(bytes + '\0'), whole);
  EXPECT_NE(tree_hash(std::string_view(bytes).substr(1)), whole);
  EXPECT_NE(tree_hash(std::string_view(bytes).substr(0, bytes.size() - 1)), whole);
}

TEST(TreeHash, OfAFile) {
  const testing::TemporaryFolder folder;
  const std::string bytes = pattern(kTreeLeafBytes + 1);
  std::ofstream(folder.path() / "file", std::ios::binary) << bytes;
  EXPECT_EQ(tree_hash_file(folder.path() / "file").value(), tree_hash(bytes));
  testing::expect_error(tree_hash_file(folder.path() / "absent"), Errc::not_found, {"absent"});
}

}  // namespace
}  // namespace sotto
