#include "audit/attack/word_space.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kRowsAtOnce = 64;

}  // namespace

Result<WordSpace> WordSpace::make(const Model& model) {
  WordSpace space(model);
  if (model.dimension() > 0) {
    SOTTO_ASSIGN(space.search_, embed::NearestSearch::create(model));
    return space;
  }
  for (const WordList& list : model.lists()) {
    std::vector<std::uint32_t>& places = space.places_.emplace_back(model.size());
    for (std::uint32_t place = 0; place < model.size(); ++place) places[list.order[place]] = place;
  }
  return space;
}

std::string WordSpace::metric() const {
  return search_ ? "Euclidean distance of the vectors" : "list index distance, the least over the lists";
}

double WordSpace::distance(TokenId a, TokenId b) const {
  if (search_) return model_->scale() * std::sqrt(static_cast<double>(model_->squared_distance(a, b)));
  std::uint32_t least = model_->size();
  for (const std::vector<std::uint32_t>& places : places_)
    least = std::min(least, places[a] > places[b] ? places[a] - places[b] : places[b] - places[a]);
  return least;
}

void WordSpace::distances(TokenId word, std::span<double> out) const {
  if (!search_) {
    for (TokenId other = 0; other < out.size(); ++other) out[other] = distance(word, other);
    return;
  }
  std::vector<std::int16_t> query(search_->dimension());
  std::vector<std::int64_t> squares(search_->size());
  search_->copy_row(word, query);
  search_->squared_distances(query, squares);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = model_->scale() * std::sqrt(static_cast<double>(squares[i]));
}

Result<std::vector<WordSpace::Near>> WordSpace::nearest_among(std::span<const TokenId> words, std::size_t k,
                                                              unsigned threads) const {
  k = std::min(k, words.size());
  if (!search_) return nearest_in_lists(words, k, threads);
  const std::size_t dimension = search_->dimension();
  const auto rows_of = [&](std::size_t count, const auto& word_at) {
    std::vector<std::int16_t> rows(count * dimension);
    for (std::size_t i = 0; i < count; ++i)
      search_->copy_row(word_at(i), std::span(rows).subspan(i * dimension, dimension));
    return rows;
  };
  SOTTO_ASSIGN(const embed::NearestSearch among,
               embed::NearestSearch::create(rows_of(words.size(), [&](std::size_t i) { return words[i]; }),
                                            dimension));
  std::vector<embed::Neighbour> found(model_->size() * k);
  among.search(rows_of(model_->size(), [](std::size_t i) { return i; }), k, threads, found);
  std::vector<Near> nearest;
  nearest.reserve(found.size());
  for (const embed::Neighbour& neighbour : found)
    nearest.push_back(
        {neighbour.row, model_->scale() * std::sqrt(static_cast<double>(neighbour.squared_distance))});
  return nearest;
}

std::vector<WordSpace::Near> WordSpace::nearest_in_lists(std::span<const TokenId> words, std::size_t k,
                                                         unsigned threads) const {
  std::vector<Near> nearest(model_->size() * k);
  base::parallel_for(
      model_->size(), kRowsAtOnce, base::thread_count(threads), [&](std::size_t begin, std::size_t end) {
        std::vector<Near> all(words.size());
        for (std::size_t word = begin; word < end; ++word) {
          for (std::uint32_t i = 0; i < words.size(); ++i)
            all[i] = {i, distance(static_cast<TokenId>(word), words[i])};
          const auto middle = all.begin() + static_cast<std::ptrdiff_t>(k);
          std::partial_sort(all.begin(), middle, all.end(), [](const Near& a, const Near& b) {
            return a.distance != b.distance ? a.distance < b.distance : a.place < b.place;
          });
          std::copy(all.begin(), middle, nearest.begin() + static_cast<std::ptrdiff_t>(word * k));
        }
      });
  return nearest;
}

}  // namespace sotto::audit
