// How a document's ε is shared among its tokens. Every strategy looks only at what the output reveals anyway:
// the number and positions of the tokens. An ε that depends on the words themselves would leak information
// about them (an exponential mechanism with ε(w) of 1 or 10 has an effective ε of 14.8), so such strategies
// are refused.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

enum class BudgetStrategy {
  token,      ///< the given ε for each token; longer documents spend more
  even,       ///< the document's ε in equal shares: S1 (words), S3 and S4 (collocations)
  words,      ///< a collocation gets the share of one word, so less than the whole ε is spent: S2
  positions,  ///< shares by position, weighted by a public profile
};
/// The strategies, in the order of the enumerators, followed by the other names that parse_budget_strategy()
/// accepts.
inline constexpr std::array<std::string_view, 8> kBudgetNames = {"token", "even", "words", "positions",
                                                                 "S1",    "S2",   "S3",    "S4"};
/// Thread-safe.
SOTTO_API const char* to_string(BudgetStrategy strategy);

/// "token", "even", "words", "positions", or "S1" to "S4" as in the paper "A Collocation-based Method for
/// Addressing Challenges in Word-level Metric Differential Privacy". A strategy that would read private text
/// to set ε ("information", "part-of-speech", "rarity") is refused with the reason. Thread-safe.
SOTTO_API Result<BudgetStrategy> parse_budget_strategy(std::string_view name);

/// What is public about a document.
struct DocumentShape {
  std::uint64_t tokens = 0;  ///< that pass through the mechanism
  std::uint64_t words = 0;   ///< in these tokens; at least `tokens`
};

/// Weights along a document, starting at its beginning, from public statistics only: for example the mean
/// information content of words in each tenth of public texts.
using PositionProfile = std::vector<double>;

/// The weights must be from 1e-6 to 1e6. Thread-safe.
SOTTO_API Result<void> check_position_profile(const PositionProfile& profile);

/// Weights from 1e-6 to 1e6, separated by commas, for example "3,1,1,2". Thread-safe.
SOTTO_API Result<PositionProfile> parse_position_profile(std::string_view text);

/// The ε of each token. The values are rounded down so that, by basic composition, they do not exceed
/// `epsilon`, the document's (for `token`: each token's). `profile` is for `positions` only. Thread-safe.
SOTTO_API Result<std::vector<double>> share_budget(BudgetStrategy strategy, double epsilon,
                                                   const DocumentShape& shape,
                                                   const PositionProfile& profile = {});

}  // namespace sotto
