#include "privacy/nano_epsilon.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"

namespace sotto {
using namespace privacy;
namespace {

using Wide = unsigned __int128;
constexpr int kDigitsOfNano = 9;
constexpr NanoEpsilon kNano = 1'000'000'000;

/// factor · digits · 10^(exponent + 9), rounded up or down; at most kLargestAmount.
NanoEpsilon scaled(const Decimal& value, std::uint64_t factor, bool up) {
  Wide amount = static_cast<Wide>(value.digits) * factor;
  int shift = value.exponent + kDigitsOfNano;
  for (; shift > 0 && amount < kLargestAmount; --shift) amount *= 10;
  bool inexact = false;
  for (; shift < 0 && amount > 0; ++shift) {
    inexact |= amount % 10 != 0;
    amount /= 10;
  }
  if (up && inexact) ++amount;
  return amount < kLargestAmount ? static_cast<NanoEpsilon>(amount) : kLargestAmount;
}

}  // namespace

Decimal::Decimal(double value) {
  SOTTO_CHECK(std::isfinite(value) && value > 0);
  std::array<char, 64> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  const char* at = text.data();
  bool fraction = false;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
    } else {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      if (fraction) --exponent;
    }
  }
  ++at;
  if (*at == '+') ++at;
  int power = 0;
  std::from_chars(at, end, power);
  exponent += power;
}

NanoEpsilon privacy::charge_for(const Decimal& epsilon, std::uint64_t tokens) {
  return scaled(epsilon, tokens, true);
}

NanoEpsilon privacy::limit_amount(double limit) {
  return scaled(Decimal(limit), 1, false);
}

NanoEpsilon privacy::saturating_sum(NanoEpsilon a, NanoEpsilon b) {
  NanoEpsilon sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kLargestAmount : sum;
}

std::string to_decimal(NanoEpsilon amount) {
  const char* const sign = amount < 0 ? "-" : "";
  const std::uint64_t size =
      amount < 0 ? 0 - static_cast<std::uint64_t>(amount) : static_cast<std::uint64_t>(amount);
  std::string text = fmt::format("{}{}.{:09}", sign, size / kNano, size % kNano);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace sotto
