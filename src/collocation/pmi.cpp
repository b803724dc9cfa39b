#include "collocation/pmi.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "base/checked_value.hpp"

namespace sotto {
using namespace collocation;
namespace {

constexpr int kScoreDigits = 16;

// Rounds to nearest, half up.
std::int32_t to_score(std::int64_t logarithm) {
  constexpr int kDropped = kLogDigits - kScoreDigits;
  return static_cast<std::int32_t>((logarithm + (std::int64_t{1} << (kDropped - 1))) >> kDropped);
}

constexpr std::array<std::string_view, 15> kConnectors = {
    "a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with", "without"};

}  // namespace

std::int64_t collocation::log2_fixed(std::uint64_t value) {
  assert(value != 0);
  const int whole = 63 - std::countl_zero(value | 1);  // defined for 0 as well
  // The value is m·2^(whole − 63) with 1 ≤ m/2⁶³ < 2. Squaring doubles the logarithm; if the square reaches
  // 2, the next digit is 1. Truncating a square loses less than 2⁻⁶³ of it, and the further digits this
  // affects weigh less and less: together less than 2⁻⁶¹, apart from the digits that are not computed.
  std::uint64_t mantissa = value << (63 - whole);
  std::int64_t digits = whole;
  for (int i = 0; i < kLogDigits; ++i) {
    const auto square = static_cast<unsigned __int128>(mantissa) * mantissa;
    const bool doubled = (square >> 127) != 0;
    mantissa = static_cast<std::uint64_t>(square >> (doubled ? 64 : 63));
    digits = digits << 1 | (doubled ? 1 : 0);
  }
  return digits;
}

PmiScorer::PmiScorer(const RankedWords& words, std::uint64_t total)
    : words_(words), log_total_(total == 0 ? 0 : log2_fixed(total)), small_(1 << 14) {
  for (std::size_t i = 1; i < small_.size(); ++i) small_[i] = log2_fixed(i);
}

std::int32_t PmiScorer::pair(std::uint32_t first, std::uint32_t second, std::uint64_t count) const {
  return to_score(log_total_ + log_count(count) - log_word(first) - log_word(second));
}

std::int32_t PmiScorer::triple(std::uint32_t first, std::uint32_t second, std::uint32_t third,
                               std::uint64_t count) const {
  return to_score(2 * log_total_ + log_count(count) - log_word(first) - log_word(second) - log_word(third));
}

bool collocation::is_connector(std::string_view word) {
  return std::binary_search(kConnectors.begin(), kConnectors.end(), word);
}

bool collocation::allows(ConnectorRule rule, bool first, bool second) {
  return rule == ConnectorRule::any || (!first && !second);
}

bool collocation::allows(ConnectorRule rule, bool first, bool second, bool third) {
  if (rule == ConnectorRule::inside) return !first && !third;
  return rule == ConnectorRule::any || (!first && !second && !third);
}

Result<ConnectorRule> parse_connector_rule(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("connectors", name, kConnectorRuleNames));
  return static_cast<ConnectorRule>(index);
}

}  // namespace sotto
