#include <limits>

#include <sotto/mechanism.hpp>

#include "base/parallel.hpp"
#include "mechanisms/word_row.hpp"

namespace sotto {
namespace {

constexpr std::size_t kColumnRowsAtOnce = 64;

}  // namespace

double Mechanism::distance(TokenId a, TokenId b) const {
  return a == b ? 0 : std::numeric_limits<double>::infinity();
}

bool Mechanism::covers(TokenId) const {
  return true;
}

/// Sums in an order that does not depend on the number of threads.
std::vector<double> Mechanism::mean_row() const {
  constexpr std::size_t kBlocks = 32;
  std::vector<double> mean = row(0);
  const std::size_t words = mean.size();
  std::vector<std::vector<double>> sums(words == 0 ? 0 : kBlocks);
  base::parallel_for(sums.size(), 1, base::thread_count(0), [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      sums[block].assign(words, 0);
      for (std::size_t z = block * words / kBlocks; z < (block + 1) * words / kBlocks; ++z) {
        const std::vector<double> one = row(static_cast<TokenId>(z));
        for (std::size_t y = 0; y < words; ++y) sums[block][y] += one[y];
      }
    }
  });
  mean.assign(words, 0);
  for (const std::vector<double>& sum : sums)
    for (std::size_t y = 0; y < words; ++y) mean[y] += sum[y];
  for (double& probability : mean) probability /= static_cast<double>(words);
  return mean;
}

std::vector<double> Mechanism::column(TokenId output) const {
  const std::size_t words = row(0).size();
  if (words > mechanism::kMostRows) return {};
  std::vector<double> column(words);
  base::parallel_for(words, kColumnRowsAtOnce, base::thread_count(0),
                     [&](std::size_t begin, std::size_t end) {
                       for (std::size_t word = begin; word < end; ++word)
                         column[word] = row(static_cast<TokenId>(word))[output];
                     });
  return column;
}

void Mechanism::privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
  const std::unique_ptr<PendingTokens> pending = make_pending();
  pending->add(in, bits);
  pending->resolve(out);
}

}  // namespace sotto
