#include "random/output_mac.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "random/counting_key.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using testing::counting_key;

// From Python, with key = bytes(range(32)):
//   hashlib.blake2b(key=key, digest_size=32, person=b"sotto-output-1")
//   hashlib.blake2b(b"the soup", key=key, digest_size=16, person=b"sotto-mac-1")
TEST(OutputMac, GoldenValues) {
  EXPECT_EQ(base::to_hex(output_key(counting_key())),
            "87613c8aa27a200411490c522ed4a13f41bfe9161ee5abb2e8b31da7f04e8037");
  EXPECT_EQ(base::to_hex(output_mac(counting_key(), "the soup")), "9dd68615663967fbac58fd94c52a4415");
}

TEST(OutputMac, DependsOnKeyAndText) {
  EXPECT_NE(output_mac(counting_key(), ""), output_mac(Key{}, ""));
  EXPECT_NE(output_mac(counting_key(), "the soup"), output_mac(counting_key(), "the soup "));
  EXPECT_NE(output_key(counting_key()), output_key(Key{}));
}

}  // namespace
}  // namespace sotto
