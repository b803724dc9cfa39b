#include "random/document_stream.hpp"

#include <clocale>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "random/counting_key.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using testing::counting_key;

base::Sha256Digest empty_configuration() {
  return CanonicalConfiguration().digest();
}

// The expected values come from Python:
//   part = lambda b: struct.pack("<Q", len(b)) + b
//   hashlib.blake2b(b"sotto-stream-3" + part(dataset) + part(id) + part(field) + part(text) +
//                   part(configuration), key=bytes(range(32)), digest_size=32).hexdigest()
// with id = b"r" + struct.pack("<Q", record), b"s" + id or b"n" + struct.pack("<Q", record) + id.
TEST(DocumentStreams, GoldenKeys) {
  const DocumentStreams streams(counting_key(), "reviews.jsonl", empty_configuration());
  EXPECT_EQ(base::to_hex(streams.stream_key({std::nullopt, 7}, "text", "The quick brown fox.")),
            "85a918f7a9bb2da5dcd2ffa06d308b5d4260903e3d5a5c0b69e742a2bfa9df79");
  EXPECT_EQ(base::to_hex(streams.stream_key({"7", 99}, "text", "The quick brown fox.")),
            "0c457ef488907dbaf032aae89e2c2486a9d343c7b6f2737081e76e51981bc6af");
  const DocumentStreams fresh(counting_key(), "reviews.jsonl", empty_configuration(), Repeats::fresh_noise);
  EXPECT_EQ(base::to_hex(fresh.stream_key({"7", 99}, "text", "The quick brown fox.")),
            "5beec428f46601e8360975da833f0380b3713423fbb1f904fde9fc5bd573b1c0");
  const DocumentStreams unnamed(counting_key(), "", empty_configuration());
  EXPECT_EQ(base::to_hex(unnamed.stream_key({"", 0}, "", "")),
            "79ad63dea7ed51fdf8cfcc91b094b9aa5aef8dfcbab44196f40fe02ba420da7d");
}

// From Python: hashlib.blake2b(b"alice", key=bytes(range(32)), digest_size=16, person=b"sotto-tag-1")
TEST(DocumentTag, GoldenTagAndItsParts) {
  EXPECT_EQ(base::to_hex(document_tag(counting_key(), "alice")), "2c7590cfd2b6b8971a75d6b6eb8efeec");
  EXPECT_NE(document_tag(counting_key(), "alice"), document_tag(counting_key(), "bob"));
  EXPECT_NE(document_tag(counting_key(), "alice"), document_tag(Key{}, "alice"));
}

TEST(DocumentStreams, GoldenKeyOfPartsLongerThanABlock) {
  base::Sha256Digest configuration;
  std::iota(configuration.begin(), configuration.end(), static_cast<unsigned char>(100));
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7 % 251);
  const DocumentStreams streams(counting_key(), std::string(200, 'd'), configuration);
  EXPECT_EQ(base::to_hex(streams.stream_key({std::nullopt, ~std::uint64_t{0}}, std::string(130, 'f'), text)),
            "7aeeeff61e663e5e4f28733a16a7fc6d38ee57f9eef28d347a89725870b58cbd");
}

struct Parts {
  Key key = counting_key();
  std::string dataset = "data";
  DocumentId document = {"id", 1};
  std::string field = "field";
  std::string text = "text";
  base::Sha256Digest configuration = empty_configuration();

  Key stream_key() const {
    return DocumentStreams(key, dataset, configuration).stream_key(document, field, text);
  }
};

TEST(DocumentStreams, EveryPartAndEveryBorderCounts) {
  std::vector<Parts> variants(1);
  const auto add = [&](auto change) { change(variants.emplace_back()); };
  add([](Parts& p) { p.key[31] ^= 1; });
  add([](Parts& p) { p.dataset = "Data"; });
  add([](Parts& p) { p.document.id = "ie"; });
  add([](Parts& p) { p.document = {std::nullopt, 1}; });
  add([](Parts& p) { p.document = {std::nullopt, 2}; });
  add([](Parts& p) { p.document = {std::nullopt, std::uint64_t{1} << 63}; });
  add([](Parts& p) { p.document.id = std::string_view("\1\0\0\0\0\0\0\0", 8); });
  add([](Parts& p) { p.field = "fields"; });
  add([](Parts& p) { p.text = "texts"; });
  add([](Parts& p) { p.text = std::string("text\0", 5); });
  add([](Parts& p) { p.configuration[0] ^= 1; });
  add([](Parts& p) { p.dataset = "datai", p.document.id = "d"; });
  add([](Parts& p) { p.dataset = "dat", p.document.id = "aid"; });
  add([](Parts& p) { p.document.id = "idf", p.field = "ield"; });
  add([](Parts& p) { p.document.id = "i", p.field = "dfield"; });
  add([](Parts& p) { p.field = "fieldt", p.text = "ext"; });
  add([](Parts& p) { p.field = "fiel", p.text = "dtext"; });
  add([](Parts& p) { p.field = "", p.text = "fieldtext"; });
  std::set<Key> keys;
  for (const Parts& parts : variants) keys.insert(parts.stream_key());
  EXPECT_EQ(keys.size(), variants.size());
}

TEST(DocumentStreams, ANamedDocumentIsTheSameAtEveryPlace) {
  const DocumentStreams streams(counting_key(), "data", empty_configuration());
  EXPECT_EQ(streams.stream_key({"id", 1}, "field", "text"), streams.stream_key({"id", 2}, "field", "text"));
}

// Nor does an id that spells a record number collide with one.
TEST(DocumentStreams, WhereRepeatsGetFreshNoiseNoTwoRecordsShareAKey) {
  const DocumentStreams streams(counting_key(), "data", empty_configuration(), Repeats::fresh_noise);
  std::set<Key> keys;
  for (std::uint64_t record = 0; record < 3; ++record)
    for (const std::optional<std::string_view> id :
         {std::optional<std::string_view>(), std::optional<std::string_view>("id"),
          std::optional<std::string_view>(std::string_view("\1\0\0\0\0\0\0\0", 8))})
      keys.insert(streams.stream_key({id, record}, "field", "text"));
  EXPECT_EQ(keys.size(), 9U);
}

CanonicalConfiguration example_configuration() {
  CanonicalConfiguration configuration;
  configuration.add("policy.case", "position");
  configuration.add("epsilon", 0.1);
  configuration.add("lists", std::uint32_t{2});
  configuration.add("mechanism", "diffractor-geometric");
  configuration.add("threshold", -3.0);
  configuration.add("text", "naïve=\n");
  configuration.add("zero", 0.0);
  configuration.add("tiny", 1e-9);
  return configuration;
}

// From Python; doubles by float.hex() without trailing zeros.
TEST(CanonicalConfiguration, GoldenSerialization) {
  EXPECT_EQ(example_configuration().serialize(),
            "sotto-configuration-1\n"
            "7:epsilon=20:0x1.999999999999ap-4\n"
            "5:lists=1:2\n"
            "9:mechanism=20:diffractor-geometric\n"
            "11:policy.case=8:position\n"
            "4:text=8:naïve=\n\n"
            "9:threshold=9:-0x1.8p+1\n"
            "4:tiny=21:0x1.12e0be826d695p-30\n"
            "4:zero=6:0x0p+0\n");
  EXPECT_EQ(base::to_hex(example_configuration().digest()),
            "c99bf54a31039101eceda8baa463405bcd30d2da7afcfa844dfdd31feee85321");
  EXPECT_EQ(base::to_hex(empty_configuration()),
            "7c1f6862f630d412ef6fe0d46e0b8eb9791283b853000e1b1cf57bccf0a484f1");
}

TEST(CanonicalConfiguration, DoesNotDependOnTheOrderOfAdding) {
  CanonicalConfiguration forward;
  forward.add("a", "1");
  forward.add("b", std::uint64_t{2});
  CanonicalConfiguration backward;
  backward.add("b", std::uint64_t{2});
  backward.add("a", "1");
  EXPECT_EQ(forward.serialize(), backward.serialize());
}

TEST(CanonicalConfiguration, TellsNeighbouringDoublesAndMovedBytesApart) {
  const auto digest = [](auto... pairs) {
    CanonicalConfiguration configuration;
    (configuration.add(pairs.first, pairs.second), ...);
    return configuration.digest();
  };
  using D = std::pair<std::string, double>;
  using S = std::pair<std::string, std::string>;
  EXPECT_NE(digest(D{"e", 0.1}), digest(D{"e", std::nextafter(0.1, 1)}));
  EXPECT_NE(digest(S{"a", "b=1:c"}), digest(S{"a=1:b", "c"}));
  EXPECT_NE(digest(S{"a", "1\n1:b=1:2"}), digest(S{"a", "1"}, S{"b", "2"}));
  EXPECT_NE(digest(S{"a", ""}), digest());
}

TEST(CanonicalConfiguration, ARepeatedKeyIsABug) {
  CanonicalConfiguration configuration;
  configuration.add("epsilon", 0.1);
  EXPECT_DEATH(configuration.add("epsilon", 0.2), "inserted");
}

TEST(CanonicalConfiguration, IgnoresTheLocale) {
  const std::string expected = example_configuration().serialize();
  const std::string old = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(example_configuration().serialize(), expected) << name;
  }
  std::setlocale(LC_ALL, old.c_str());
}

}  // namespace
}  // namespace sotto
