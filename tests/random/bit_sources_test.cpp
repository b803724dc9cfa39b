#include "random/bit_sources.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sotto/key_file.hpp>

#include "base/hash.hpp"
#include "support/statistics.hpp"

namespace sotto {
namespace {

using namespace sotto::random;
using ::testing::HasSubstr;

constexpr double kAlpha = 1e-6;

std::vector<std::uint64_t> take(BitSource& bits, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = bits.next();
  return words;
}

/// The bytes of words in little-endian order, in hex.
std::string hex_of(const std::vector<std::uint64_t>& words) {
  std::vector<unsigned char> bytes;
  for (const std::uint64_t word : words)
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<unsigned char>(word >> shift));
  return base::to_hex(bytes);
}

TEST(ChaChaBitSource, EqualsTheKeyStreamOfRfc8439) {
  // Appendix A.1, test vectors 1 and 2: key and nonce zero, blocks 0 and 1.
  ChaChaBitSource bits(Key{});
  EXPECT_EQ(hex_of(take(bits, 8)),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
  EXPECT_EQ(hex_of(take(bits, 8)),
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

TEST(ChaChaBitSource, UsesEveryByteOfTheKey) {
  // Test vector 3 has the key 00…01 at block 1.
  Key key{};
  key[31] = 1;
  ChaChaBitSource bits(key);
  take(bits, 8);
  EXPECT_EQ(hex_of(take(bits, 8)),
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
            "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0");
}

TEST(ChaChaBitSource, WordsDoNotDependOnTheExpectedNumber) {
  const Key key = key_from_seed(5);
  ChaChaBitSource reference(key);
  const std::vector<std::uint64_t> words = take(reference, 1000);
  ChaChaBitSource bits(key_from_seed(6));
  for (const std::size_t expected : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 63U, 64U, 65U, 100000U}) {
    bits.reset(key, expected);
    EXPECT_EQ(take(bits, 1000), words) << expected;
  }
}

TEST(ChaChaBitSource, BitsAreBalancedAndIndependentOfTheirNeighbours) {
  constexpr std::uint64_t kWords = 1'000'000;
  ChaChaBitSource bits(key_from_seed(11));
  std::array<std::uint64_t, 64> ones{};
  std::vector<std::uint64_t> changes(65);
  std::uint64_t previous = bits.next();
  for (std::uint64_t i = 0; i < kWords; ++i) {
    const std::uint64_t word = bits.next();
    for (int bit = 0; bit < 64; ++bit) ones[bit] += word >> bit & 1;
    ++changes[std::popcount(word ^ previous)];
    previous = word;
  }
  for (int bit = 0; bit < 64; ++bit) {
    const std::array<std::uint64_t, 2> counts{ones[bit], kWords - ones[bit]};
    const auto outcome = testing::chi_squared_test(counts, std::array<double, 2>{0.5, 0.5}, kAlpha / 64);
    EXPECT_TRUE(outcome.passed()) << "bit " << bit << ": " << outcome;
  }
  std::vector<double> binomial(65);
  for (int k = 0; k <= 64; ++k)
    binomial[k] = std::exp(std::lgamma(65) - std::lgamma(k + 1) - std::lgamma(65 - k) - 64 * std::log(2.0));
  SOTTO_EXPECT_PASSES(testing::chi_squared_test(changes, binomial, kAlpha));
}

/// The kernel's flags for the mapping that holds `address`, for example " rd wr mr mw me lo ac dd".
std::string flags_of_mapping(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) inside = begin <= place && place < end;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8);
  }
  return "no mapping";
}

TEST(Key, FromSeedIsDomainSeparatedBlake2b) {
  // Python: hashlib.blake2b(b"sotto-seed-1" + struct.pack("<Q", seed), digest_size=32).hexdigest()
  EXPECT_EQ(base::to_hex(key_from_seed(0)),
            "28e5438fb683b84d765fc21142c6e1a23b54940eb275fde959434e7624488e0b");
  EXPECT_EQ(base::to_hex(key_from_seed(42)),
            "d1674c22ba53436386a5d24aedebd33a167b904850dce531bf1b07bdf1aa49ea");
  EXPECT_EQ(base::to_hex(key_from_seed(~std::uint64_t{0})),
            "a55453b7db257e4bda4918dec3153755e0ff7c6b70c4cf5e9b16a776b7f965f3");
}

TEST(Key, RandomKeysDifferAlsoBetweenThreads) {
  std::array<std::vector<Key>, 4> keys;
  {
    std::vector<std::jthread> threads;
    threads.reserve(keys.size());
    for (auto& mine : keys)
      threads.emplace_back([&mine] {
        for (int i = 0; i < 100; ++i) mine.push_back(random_key().value());
      });
  }
  std::set<Key> distinct;
  for (const auto& mine : keys) distinct.insert(mine.begin(), mine.end());
  EXPECT_EQ(distinct.size(), 400U);
}

TEST(Key, IsWipedWhenItGoes) {
  alignas(Key) std::array<unsigned char, sizeof(Key)> place;
  place.fill(0xAA);
  Key* const key = new (place.data()) Key(key_from_seed(1));
  EXPECT_NE(base::to_hex(place), base::to_hex(Key{}));
  key->~Key();
  EXPECT_EQ(base::to_hex(place), base::to_hex(Key{}));
}

TEST(LockedMemory, IsAlignedAndOutsideOfCoreDumps) {
  const auto bits = make_locked<ChaChaBitSource>(key_from_seed(1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bits.get()) % alignof(ChaChaBitSource), 0U);
  ChaChaBitSource same(key_from_seed(1));
  EXPECT_EQ(take(*bits, 100), take(same, 100));
  EXPECT_THAT(flags_of_mapping(bits.get()), HasSubstr(" dd"));
  LockedVector<Key> keys(3);
  keys.resize(1000);
  EXPECT_THAT(flags_of_mapping(keys.data()), HasSubstr(" dd"));
}

class KeyFile : public ::testing::Test {
 protected:
  void SetUp() override { path_ = ::testing::TempDir() + "sotto_key_file_" + std::to_string(::getpid()); }
  void TearDown() override { std::remove(path_.c_str()); }

  Result<Key> read(std::string_view content) {
    std::ofstream(path_, std::ios::binary) << content;
    return read_key_file(path_);
  }

  std::string path_;
};

TEST_F(KeyFile, TakesRawBytesAndHex) {
  Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(250 + i);
  const std::string raw(reinterpret_cast<const char*>(key.data()), key.size());
  EXPECT_EQ(read(raw).value(), key);
  const std::string hex = base::to_hex(key);
  EXPECT_EQ(read(hex).value(), key);
  EXPECT_EQ(read(hex + "\n").value(), key);
  EXPECT_EQ(read(hex + "\r\n").value(), key);
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(read(upper).value(), key);
}

TEST_F(KeyFile, RefusesOtherContentWithoutQuotingIt) {
  const std::string hex = base::to_hex(Key{});
  struct Case {
    std::string content;
    std::string found;
  };
  for (const Case& c : std::vector<Case>{
           {"", "found 0 bytes;"},
           {std::string(31, 'k'), "found 31 bytes;"},
           {std::string(33, 'k'), "found 33 bytes;"},
           {hex.substr(1), "found 63 bytes;"},
           {hex.substr(1) + "g", "found 64 bytes that are not 64 hexadecimal digits;"},
           {hex.substr(1) + "\n", "found 64 bytes that are not"},
           {hex + "0", "found 65 bytes that are not"},
           {hex + "\n\n", "found 66 bytes that are not"},
           {hex + "\r\n ", "found more than 66 bytes;"},
           {std::string(100000, 'k'), "found more than 66 bytes;"},
       }) {
    const Result<Key> result = read(c.content);
    ASSERT_FALSE(result) << c.found;
    EXPECT_EQ(result.error().code, Errc::bad_format);
    EXPECT_THAT(result.error().message, HasSubstr(path_));
    EXPECT_THAT(result.error().message, HasSubstr(c.found));
    EXPECT_THAT(result.error().message, HasSubstr("exactly 32 raw bytes or 64 hexadecimal digits"));
    EXPECT_THAT(result.error().message, HasSubstr("head -c 32 /dev/urandom"));
    EXPECT_THAT(result.error().message, ::testing::Not(HasSubstr("kkk")));
  }
}

TEST_F(KeyFile, WarnsWhenOthersMayReadOrReplaceIt) {
  ASSERT_TRUE(read(std::string(32, 'k')));
  for (const mode_t mode : {0644, 0640, 0602, 0777}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_THAT(key_file_warning(path_), HasSubstr("open to other users"));
  }
  for (const mode_t mode : {0600, 0400}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(key_file_warning(path_), "");
  }
  EXPECT_EQ(key_file_warning("/dev/null"), "");
  EXPECT_EQ(key_file_warning(path_ + ".missing"), "");
}

TEST_F(KeyFile, RefusesAMissingFileAndAnEndlessOne) {
  const Result<Key> missing = read_key_file(path_ + ".missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_FALSE(read_key_file("/dev/zero"));
}

/// The first words that a forked child draws from `bits`.
std::vector<std::uint64_t> words_of_child(BitSource& bits, std::size_t count) {
  std::array<int, 2> pipe_ends;
  if (::pipe(pipe_ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::vector<std::uint64_t> words = take(bits, count);
    const std::size_t size = count * sizeof(words[0]);
    _exit(::write(pipe_ends[1], words.data(), size) == static_cast<ssize_t>(size) ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  std::vector<std::uint64_t> words(count);
  const ssize_t got = ::read(pipe_ends[0], words.data(), count * sizeof(words[0]));
  ::close(pipe_ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  if (got != static_cast<ssize_t>(count * sizeof(words[0])) || status != 0) throw std::runtime_error("child");
  return words;
}

TEST(OsBitSource, ParentAndChildrenDrawDifferentWords) {
  constexpr std::size_t kWords = 200;
  OsBitSource bits;
  std::set<std::uint64_t> distinct;
  const auto add = [&](const std::vector<std::uint64_t>& words) {
    distinct.insert(words.begin(), words.end());
  };
  add(take(bits, 3));  // the fork happens in the middle of a generated block
  add(words_of_child(bits, kWords));
  add(words_of_child(bits, kWords));
  add(take(bits, kWords));
  EXPECT_EQ(distinct.size(), 3 + 3 * kWords);
}

TEST(OsBitSource, ASeededStreamIsTheSameOnBothSidesOfAFork) {
  ChaChaBitSource bits(key_from_seed(1));
  take(bits, 3);
  const std::vector<std::uint64_t> child = words_of_child(bits, 200);
  EXPECT_EQ(take(bits, 200), child);
}

TEST(OsBitSource, SourcesDiffer) {
  OsBitSource first;
  OsBitSource second;
  EXPECT_NE(take(first, 4), take(second, 4));
}

}  // namespace
}  // namespace sotto
