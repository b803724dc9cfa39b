#include "privacy/ledger_chain.hpp"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;

LedgerId counting_id() {
  LedgerId id;
  std::iota(id.begin(), id.end(), static_cast<unsigned char>(0));
  return id;
}

ChainLink some_link() {
  ChainLink link{1, {}, OutputMac{}, "alice", "pure epsilon", 2'500'000'000, 1763193600};
  std::iota(link.tag.begin(), link.tag.end(), static_cast<unsigned char>(100));
  std::iota(link.mac->begin(), link.mac->end(), static_cast<unsigned char>(200));
  return link;
}

// The expected values come from Python:
//   h = lambda d, v: hashlib.blake2b(d, digest_size=32, person=b"sotto-ledger-%d" % v).digest()
//   q = lambda n: struct.pack("<Q", n)
//   start = h(bytes(range(16)), 1)
//   before, after = start + q(1) + bytes(range(100, 116)), q(5) + b"alice" + q(12) + b"pure epsilon" +
//     q(2500000000) + q(1763193600)
//   h(before + bytes(range(200, 216)) + after, 2), h(before + after, 1)
TEST(LedgerChain, GoldenHashes) {
  const ChainHash start = chain_start(counting_id());
  EXPECT_EQ(base::to_hex(start), "10745392954eaa0def6cd770012becd9b9bae3c1afdd78f42bbefb496db24815");
  EXPECT_EQ(base::to_hex(chain_next(start, some_link())),
            "d203d28134d61949632e6b7e621348f24fd424166cc7be98010af12101867197");
  ChainLink of_version_1 = some_link();
  of_version_1.mac.reset();
  EXPECT_EQ(base::to_hex(chain_next(start, of_version_1)),
            "11497b17483ef993dbcaf67b6027b25e88b72311d6539ae7c91619ffd292b1f7");
}

TEST(LedgerChain, EveryPartMatters) {
  const ChainHash start = chain_start(counting_id());
  std::set<ChainHash> hashes = {chain_next(start, some_link())};
  const auto add = [&](auto change) {
    ChainLink link = some_link();
    change(link);
    EXPECT_TRUE(hashes.insert(chain_next(start, link)).second);
  };
  add([](ChainLink& link) { link.number = 2; });
  add([](ChainLink& link) { link.tag[15] ^= 1; });
  add([](ChainLink& link) { (*link.mac)[15] ^= 1; });
  add([](ChainLink& link) { link.mac.reset(); });
  add([](ChainLink& link) { link.subject = "alic"; });
  add([](ChainLink& link) { link.subject = "alicep", link.unit = "ure epsilon"; });  // a byte moves
  add([](ChainLink& link) { link.unit = "pure epsilom"; });
  add([](ChainLink& link) { ++link.amount; });
  add([](ChainLink& link) { ++link.time; });
  EXPECT_TRUE(hashes.insert(chain_next(chain_start({}), some_link())).second);
}

}  // namespace
}  // namespace sotto
