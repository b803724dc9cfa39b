#include "mechanisms/noise/gumbel_lists.hpp"

#include <algorithm>
#include <cmath>

#include "random/portable_math.hpp"

namespace sotto::mechanism {

GumbelLists::GumbelLists(const NoiseSpace& space, std::size_t length, double scale,
                         std::shared_ptr<Room> room)
    : space_(space),
      length_(std::min(length, space.search().size())),
      scale_(scale),
      room_(std::move(room)),
      lists_(space.model().size() + 1ULL) {}

GumbelLists::~GumbelLists() {
  std::int64_t kept = 0;
  for (const auto& list : lists_) {
    kept += list.load(std::memory_order_relaxed) != nullptr ? 1 : 0;
    delete[] list.load(std::memory_order_relaxed);
  }
  room_->fetch_add(kept, std::memory_order_relaxed);
}

std::vector<TokenId> GumbelLists::missing(std::span<const TokenId> inputs) const {
  std::vector<TokenId> words;
  for (const TokenId input : inputs)
    if (lists_[input].load(std::memory_order_relaxed) == nullptr) words.push_back(input);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<GumbelCandidate> GumbelLists::make_list(TokenId input,
                                                    std::span<const embed::Neighbour> nearest) const {
  std::vector<GumbelCandidate> list;
  list.reserve(length_ + 1);
  if (input != space_.model().bottom()) list.push_back({1, input});
  for (const embed::Neighbour& neighbour : nearest) {
    if (neighbour.row == input) continue;
    const double distance =
        std::sqrt(static_cast<double>(neighbour.squared_distance)) * space_.model().scale();
    // d/b is at most Δ/b, bounded by the logarithm of an epsilon; the floor only keeps floats normal.
    list.push_back(
        {static_cast<float>(random::portable_exp(std::max(-distance / scale_, -80.0))), neighbour.row});
  }
  list.resize(length_);  // one too many if `length_` others have the input's vector
  return list;
}

void GumbelLists::keep(TokenId input, std::vector<GumbelCandidate> list, Extra& extra) const {
  if (room_->fetch_sub(1, std::memory_order_relaxed) <= 0) {
    room_->fetch_add(1, std::memory_order_relaxed);
    extra.emplace(input, std::move(list));
    return;
  }
  auto kept = std::make_unique<GumbelCandidate[]>(list.size());
  std::copy(list.begin(), list.end(), kept.get());
  const GumbelCandidate* none = nullptr;
  if (lists_[input].compare_exchange_strong(none, kept.get(), std::memory_order_acq_rel)) {
    kept.release();
  } else {
    room_->fetch_add(1, std::memory_order_relaxed);  // another thread was first
  }
}

void GumbelLists::prepare(std::span<const TokenId> inputs, Extra& extra) const {
  const std::vector<TokenId> words = missing(inputs);
  if (words.empty()) return;
  std::vector<std::int16_t> queries(words.size() * space_.dimension());
  for (std::size_t i = 0; i < words.size(); ++i)
    space_.copy_vector(words[i], std::span(queries).subspan(i * space_.dimension(), space_.dimension()));
  std::vector<embed::Neighbour> nearest(words.size() * length_);
  space_.search().search(queries, length_, 1, nearest);
  for (std::size_t i = 0; i < words.size(); ++i)
    keep(words[i], make_list(words[i], std::span(nearest).subspan(i * length_, length_)), extra);
}

}  // namespace sotto::mechanism
