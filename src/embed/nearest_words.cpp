#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <sotto/model.hpp>

#include "embed/nearest.hpp"

namespace sotto {
using namespace embed;
namespace {

double cosine(std::span<const std::int16_t> a, std::span<const std::int16_t> b) {
  std::int64_t product = 0, a_squared = 0, b_squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += std::int64_t{a[i]} * b[i];
    a_squared += std::int64_t{a[i]} * a[i];
    b_squared += std::int64_t{b[i]} * b[i];
  }
  if (a_squared == 0 || b_squared == 0) return 0;
  return static_cast<double>(product) /
         std::sqrt(static_cast<double>(a_squared) * static_cast<double>(b_squared));
}

// `found` holds one row more than wanted, because a word is nearest to itself. If other words have exactly
// the same vector, the word may be missing from these rows; then the last of them is dropped instead.
void drop_row(std::vector<Neighbour>& found, std::uint32_t row, std::size_t wanted) {
  std::erase_if(found, [&](const Neighbour& neighbour) { return neighbour.row == row; });
  if (found.size() > wanted) found.resize(wanted);
}

}  // namespace

Result<std::vector<std::vector<NearWord>>> nearest_words(const Model& model, std::span<const TokenId> words,
                                                         std::size_t k) {
  SOTTO_ASSIGN(const NearestSearch search, NearestSearch::create(model));
  const std::size_t dimension = search.dimension();
  const std::size_t wanted = std::min<std::size_t>(k, model.size() - 1);
  std::vector<std::int16_t> query(dimension), other(dimension);
  std::vector<std::vector<NearWord>> near(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] >= model.size())
      return fail(Errc::invalid_argument,
                  fmt::format("{}: there is no word {} among {}", model.name(), words[i], model.size()));
    search.copy_row(words[i], query);
    std::vector<Neighbour> found(wanted + 1);
    search.search(query, found.size(), 1, found);
    drop_row(found, words[i], wanted);
    for (const Neighbour& neighbour : found) {
      search.copy_row(neighbour.row, other);
      const double squared = static_cast<double>(neighbour.squared_distance);
      near[i].push_back({neighbour.row, model.scale() * std::sqrt(squared), cosine(query, other)});
    }
  }
  return near;
}

}  // namespace sotto
