#include "evaluate/choose/epsilon_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace sotto::evaluate {
namespace {

constexpr std::array<const char*, 10> kRoundNumbers = {"1", "1.2", "1.5", "2", "2.5",
                                                       "3", "4",   "5",   "6", "8"};
constexpr int kFirstDecade = -3;

}  // namespace

double EpsilonScan::epsilon_at(int place) {
  constexpr int kPerDecade = static_cast<int>(kRoundNumbers.size());
  // Read from its decimal spelling, so that it is printed as such.
  const std::string text = std::string(kRoundNumbers[static_cast<std::size_t>(place % kPerDecade)]) + "e" +
                           std::to_string(kFirstDecade + place / kPerDecade);
  return std::strtod(text.c_str(), nullptr);
}

Result<std::optional<TextFigures>> EpsilonScan::at(int place) {
  if (const auto known = measured_.find(place); known != measured_.end()) return known->second;
  if (refused_.contains(place)) return std::nullopt;
  SOTTO_ASSIGN(const std::optional<TextFigures> figures, measure_(epsilon_at(place)));
  if (figures)
    measured_.emplace(place, *figures);
  else
    refused_.insert(place);
  return figures;
}

Result<int> EpsilonScan::first(const std::function<bool(const TextFigures&)>& reached) {
  int before = -1;
  int from = kPlaces;
  for (const auto& [place, figures] : measured_)
    if (reached(figures))
      from = std::min(from, place);
    else if (place < from)
      before = place;
  for (const int place : refused_)
    if (place < from) before = std::max(before, place);
  while (from - before > 1) {
    const int middle = (before + from) / 2;
    SOTTO_ASSIGN(const std::optional<TextFigures> figures, at(middle));
    (figures && reached(*figures) ? from : before) = middle;
  }
  return from;
}

}  // namespace sotto::evaluate
