#include "mechanisms/groups/custext_groups.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "embed/nearest.hpp"

namespace sotto::mechanism {
namespace {

// Centres searched per round: few enough that the words they take rarely appear in each other's lists, and
// enough to make the pass over all vectors worthwhile.
constexpr std::size_t kCentresAtOnce = 192;
// Neighbours looked up per centre, as a multiple of the group size: other groups may take some of them.
constexpr std::size_t kSpare = 6;

/// Forms groups in rounds. A round packs the ungrouped words, searches the neighbours of the next few centres
/// among them, and forms groups one after another until a centre's list has too few words left. The first
/// centre of a round always succeeds, so this terminates; and a sufficient list yields exactly the nearest
/// words, so the groups match the definition.
class GroupBuilder {
 public:
  GroupBuilder(const Model& model, std::span<const TokenId> order, std::size_t size, unsigned threads)
      : model_(model), order_(order), size_(size), threads_(threads), grouped_(model.size()) {}

  Result<std::vector<std::vector<TokenId>>> build() {
    for (std::size_t left = model_.size(); left > size_;) {
      SOTTO_TRY(round());
      left = static_cast<std::size_t>(std::count(grouped_.begin(), grouped_.end(), 0));
    }
    add_rest();
    return std::move(groups_);
  }

 private:
  Result<void> round() {
    std::vector<TokenId> members;
    for (TokenId word = 0; word < model_.size(); ++word)
      if (grouped_[word] == 0) members.push_back(word);
    while (grouped_[order_[next_]] != 0) ++next_;
    std::vector<TokenId> centres;
    for (std::size_t i = next_; i < order_.size() && centres.size() < kCentresAtOnce; ++i)
      if (grouped_[order_[i]] == 0) centres.push_back(order_[i]);

    SOTTO_ASSIGN(const embed::NearestSearch search,
                 embed::NearestSearch::create(rows(members), model_.dimension()));
    const std::size_t width = std::min(kSpare * size_, members.size());
    std::vector<embed::Neighbour> found(centres.size() * width);
    search.search(rows(centres), width, threads_, found);
    for (std::size_t c = 0; c < centres.size(); ++c) {
      if (grouped_[centres[c]] != 0) continue;
      if (!form_group(centres[c], std::span(found).subspan(c * width, width), members)) break;
    }
    return {};
  }

  /// Returns false, without any effect, if the list has too few ungrouped words.
  bool form_group(TokenId centre, std::span<const embed::Neighbour> nearest,
                  std::span<const TokenId> members) {
    std::vector<TokenId> group = {centre};
    for (const embed::Neighbour& neighbour : nearest) {
      const TokenId word = members[neighbour.row];
      if (grouped_[word] == 0 && word != centre) group.push_back(word);
      if (group.size() == size_) break;
    }
    if (group.size() < size_) return false;
    for (const TokenId word : group) grouped_[word] = 1;
    groups_.push_back(std::move(group));
    return true;
  }

  void add_rest() {
    std::vector<TokenId> rest;
    for (const TokenId word : order_)
      if (grouped_[word] == 0) rest.push_back(word);
    if (rest.size() == 1 && !groups_.empty()) {
      groups_.back().push_back(rest.front());
    } else if (!rest.empty()) {
      groups_.push_back(std::move(rest));
    }
  }

  std::vector<std::int16_t> rows(std::span<const TokenId> words) const {
    const std::size_t dimension = model_.dimension();
    std::vector<std::int16_t> rows;
    rows.reserve(words.size() * dimension);
    for (const TokenId word : words) {
      if (model_.bits() == 16) {
        const auto row = model_.vectors16().subspan(word * dimension, dimension);
        rows.insert(rows.end(), row.begin(), row.end());
      } else {
        const auto row = model_.vectors8().subspan(word * dimension, dimension);
        rows.insert(rows.end(), row.begin(), row.end());
      }
    }
    return rows;
  }

  const Model& model_;
  std::span<const TokenId> order_;
  std::size_t size_;
  unsigned threads_;
  std::size_t next_ = 0;               ///< all earlier words of order_ have a group
  std::vector<std::uint8_t> grouped_;  ///< by word
  std::vector<std::vector<TokenId>> groups_;
};

}  // namespace

Result<std::vector<std::vector<TokenId>>> build_groups(const Model& model, std::span<const TokenId> order,
                                                       std::size_t size, unsigned threads) {
  SOTTO_CHECK(order.size() == model.size() && size >= 2);
  return GroupBuilder(model, order, size, threads).build();
}

std::vector<TokenId> frequency_order(const Model& model) {
  std::vector<TokenId> order(model.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  if (const auto counts = model.counts(); !counts.empty())
    std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return counts[a] > counts[b]; });
  return order;
}

}  // namespace sotto::mechanism
