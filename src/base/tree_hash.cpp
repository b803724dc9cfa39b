#include "base/tree_hash.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <sodium.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"

namespace sotto::base {
namespace {

using TreeNode = std::array<unsigned char, 32>;
// About 4 ms of work: below that, waiting for a thread may cost more than it saves.
constexpr std::size_t kLeavesPerThread = 4;

using Personal = unsigned char[crypto_generichash_blake2b_PERSONALBYTES];

// Distinct for leaves and root, so that no file that looks like a list of digests can pass for another.
constexpr Personal kLeaf = {'s', 'o', 't', 't', 'o', '-', 't', 'r', 'e', 'e', '-', 'l', 'e', 'a', 'f'};
constexpr Personal kRoot = {'s', 'o', 't', 't', 'o', '-', 't', 'r', 'e', 'e', '-', 'r', 'o', 'o', 't'};

class Blake2b {
 public:
  explicit Blake2b(const Personal& personal) {
    crypto_generichash_blake2b_init_salt_personal(&state_, nullptr, 0, TreeNode().size(), nullptr, personal);
  }
  void update(std::span<const std::byte> bytes) {
    crypto_generichash_blake2b_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                                      bytes.size());
  }
  TreeNode finish() {
    TreeNode node;
    crypto_generichash_blake2b_final(&state_, node.data(), node.size());
    return node;
  }

 private:
  crypto_generichash_blake2b_state state_;
};

TreeNode hash_leaf(std::span<const std::byte> leaf) {
  Blake2b hash(kLeaf);
  hash.update(leaf);
  return hash.finish();
}

TreeNode hash_root(std::uint64_t length, std::span<const TreeNode> leaves) {
  std::array<std::byte, 8> little_endian;
  for (std::size_t i = 0; i < little_endian.size(); ++i)
    little_endian[i] = static_cast<std::byte>(length >> (8 * i));
  Blake2b hash(kRoot);
  hash.update(little_endian);
  hash.update(std::as_bytes(leaves));
  return hash.finish();
}

}  // namespace

std::string tree_hash(std::span<const std::byte> bytes, unsigned threads) {
  // Selects the code for this processor; without it libsodium hashes at half the speed.
  [[maybe_unused]] static const int ready = sodium_init();
  std::vector<TreeNode> leaves((bytes.size() + kTreeLeafBytes - 1) / kTreeLeafBytes);
  const std::size_t useful = (leaves.size() + kLeavesPerThread - 1) / kLeavesPerThread;
  const auto used = static_cast<unsigned>(std::min<std::size_t>(thread_count(threads), useful));
  parallel_for(leaves.size(), 1, used, [&](std::size_t i, std::size_t) {
    const std::size_t begin = i * kTreeLeafBytes;
    leaves[i] = hash_leaf(bytes.subspan(begin, std::min(kTreeLeafBytes, bytes.size() - begin)));
  });
  return to_hex(hash_root(bytes.size(), leaves));
}

std::string tree_hash(std::string_view bytes, unsigned threads) {
  return tree_hash(std::as_bytes(std::span(bytes)), threads);
}

Result<std::string> tree_hash_file(const std::filesystem::path& file, unsigned threads) {
  SOTTO_ASSIGN(const MappedFile mapped, MappedFile::open(file));
  return tree_hash(mapped.bytes(), threads);
}

}  // namespace sotto::base
