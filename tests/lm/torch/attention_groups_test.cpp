// Attention of sequences in groups of similar length, as on a GPU, against attention within each of them.
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "lm/torch/layers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::lm;

constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kWidth = 32;

std::vector<Sequence> sequences_of(const std::vector<std::size_t>& lengths) {
  std::vector<Sequence> sequences;
  for (const std::size_t length : lengths) sequences.emplace_back().ids.assign(length, 0);
  return sequences;
}

void expect_same_attention(const std::vector<std::size_t>& lengths, std::size_t groups) {
  const std::vector<Sequence> sequences = sequences_of(lengths);
  std::vector<std::uint32_t> members(lengths.size());
  std::iota(members.begin(), members.end(), 0U);
  const Runtime runtime;
  const Inputs packed = make_inputs(sequences, members, runtime, Packing::packed);
  const Inputs grouped = make_inputs(sequences, members, runtime, Packing::grouped);
  EXPECT_EQ(grouped.groups.size(), groups);
  const std::int64_t rows = packed.begins.back();
  std::mt19937 engine(static_cast<unsigned>(rows));
  std::normal_distribution<float> normal;
  at::Tensor all = at::empty({1, rows, 3 * kWidth}, at::kFloat);
  for (std::int64_t i = 0; i < all.numel(); ++i) all.data_ptr<float>()[i] = normal(engine);
  const std::vector<at::Tensor> qkv = all.chunk(3, -1);
  const auto expect_near = [](const at::Tensor& a, const at::Tensor& b) {
    ASSERT_EQ(a.sizes(), b.sizes());
    // Sums of at most 600 products, of numbers around 1.
    EXPECT_LE((a - b).abs().max().item<float>(), 1e-5F);
  };
  expect_near(attend_within(grouped, qkv[0], qkv[1], qkv[2], kHeads),
              attend_within(packed, qkv[0], qkv[1], qkv[2], kHeads));
  // One query per sequence.
  std::vector<std::int64_t> last;
  for (std::size_t i = 0; i < lengths.size(); ++i) last.push_back(packed.begins[i + 1] - 1);
  const at::Tensor query = qkv[0].index_select(1, at::tensor(last, at::TensorOptions(at::kLong)));
  expect_near(attend_within(grouped, query, qkv[1], qkv[2], kHeads),
              attend_within(packed, query, qkv[1], qkv[2], kHeads));
}

TEST(AttentionGroups, GiveTheSameAsSequencesAlone) {
  expect_same_attention({1}, 1);
  expect_same_attention({1, 1, 1}, 1);
  expect_same_attention({16, 16}, 1);
  expect_same_attention({3, 7, 16, 17, 30, 33, 64, 65, 600}, 5);
  expect_same_attention({600, 3, 40, 41, 5, 5}, 4);  // in no order
}

}  // namespace
}  // namespace sotto::testing
