// Mechanisms with a pure guarantee. As no distance divides the loss, only an output's largest and smallest
// probability over the inputs of a group matter: the worst pair of an output is found without examining
// pairs.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "audit/certify/privacy_loss.hpp"

namespace sotto::audit {
namespace {

/// weight/total, the probability of an output for an input.
struct InputShare {
  std::uint64_t weight = 0;
  std::uint64_t total = 1;
  TokenId input = 0;
};

bool is_less(const InputShare& a, const InputShare& b) {
  return mechanism::less(a.weight, a.total, b.weight, b.total);
}

struct Extremes {
  InputShare least;
  InputShare most;
  std::size_t rows = 0;  ///< that list the output

  void add(const InputShare& share) {
    if (rows == 0 || is_less(share, least)) least = share;
    if (rows == 0 || is_less(most, share)) most = share;
  }
};

class GroupSearch {
 public:
  GroupSearch(const mechanism::PureRows& rows, const std::vector<TokenId>& group)
      : rows_(rows), group_(group) {
    for (const TokenId input : group) {
      const mechanism::PureRow row = rows.row(input);
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < row.words.size(); ++i) {
        Extremes& extremes = outputs_[row.words[i]];
        extremes.add({row.cumulative[i] - before, row.total, input});
        ++extremes.rows;
        before = row.cumulative[i];
      }
      if (row.rest > 0) unlisted_.push_back({row.rest, row.total, input});
    }
    std::sort(unlisted_.begin(), unlisted_.end(),
              [](const InputShare& a, const InputShare& b) { return is_less(a, b); });
  }

  Result<void> run(WorstPair& worst) {
    for (auto& [output, extremes] : outputs_) {
      if (extremes.rows < group_.size()) {
        if (extremes.rows + unlisted_.size() < group_.size())
          return fail(Errc::bad_format, fmt::format("output {} is impossible for some inputs of its group: "
                                                    "there is no certificate",
                                                    output));
        add_unlisted(output, extremes);
      }
      keep(worst, output, extremes);
    }
    return {};
  }

 private:
  bool lists(TokenId input, TokenId output) const {
    const auto words = rows_.row(input).words;
    return std::find(words.begin(), words.end(), output) != words.end();
  }

  /// Adds the least and the greatest share among the rows that do not list the output.
  void add_unlisted(TokenId output, Extremes& extremes) const {
    const auto unlisted = [&](const InputShare& share) { return !lists(share.input, output); };
    const auto least = std::find_if(unlisted_.begin(), unlisted_.end(), unlisted);
    const auto most = std::find_if(unlisted_.rbegin(), unlisted_.rend(), unlisted);
    if (least != unlisted_.end()) extremes.add(*least);
    if (most != unlisted_.rend()) extremes.add(*most);
  }

  static void keep(WorstPair& worst, TokenId output, const Extremes& extremes) {
    const auto& [least, most, rows] = extremes;
    if (least.input == most.input) return;
    // Most outputs are far from the worst, and logarithms with directed rounding are slow.
    const double about = std::log(static_cast<double>(most.weight) / static_cast<double>(most.total) *
                                  static_cast<double>(least.total) / static_cast<double>(least.weight));
    if (about < worst.per_distance.upper * (1 - 1e-9) - 1e-9) return;
    const mechanism::LossFraction fraction{most.weight, most.total, least.weight, least.total};
    const mechanism::Bounds loss = mechanism::loss_bounds(fraction);
    worst.keep({most.input, least.input, output, 1, loss.upper, loss});
  }

  const mechanism::PureRows& rows_;
  const std::vector<TokenId>& group_;
  std::unordered_map<TokenId, Extremes> outputs_;
  std::vector<InputShare> unlisted_;  ///< of a word that the row does not list; ascending
};

}  // namespace

Result<PrivacyLoss> find_pure_loss(const mechanism::PureRows& rows) {
  PrivacyLoss found;
  found.method = "every pair of inputs of each group and every output, exactly, from the integer weights";
  for (const std::vector<TokenId>& group : rows.groups) {
    SOTTO_TRY(GroupSearch(rows, group).run(found.worst));
    found.inputs += group.size();
    found.pairs += group.size() * (group.size() - 1) / 2;
  }
  found.exact_pairs = found.pairs;
  found.epsilon = std::max(found.worst.per_distance.upper, found.pairs > 0 ? mechanism::kDrawSlack : 0);
  return found;
}

}  // namespace sotto::audit
