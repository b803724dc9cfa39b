#include "base/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace sotto {
using namespace base;
namespace {

std::string folded(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    if (c == '_' || c == ' ') c = '-';
  }
  return text;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
std::size_t typing_mistakes(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

}  // namespace

std::string closest_name(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 100;  // the work grows with the square
  const std::string wanted = folded(typed);
  if (wanted.empty() || wanted.size() > kLongest) return {};
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& name : known) {
    if (name.size() > kLongest) continue;
    const std::string candidate = folded(name);
    std::size_t mistakes = typing_mistakes(wanted, candidate);
    // An abbreviation, or a name with something added.
    if (wanted.size() >= 3 && (candidate.starts_with(wanted) || wanted.starts_with(candidate)))
      mistakes = std::min<std::size_t>(mistakes, 1);
    if (mistakes < fewest && mistakes < std::max(wanted.size(), candidate.size())) {
      best = name;
      fewest = mistakes;
    }
  }
  return best;
}

std::string base::suggestion(std::string_view typed, const std::vector<std::string>& known) {
  const std::string name = closest_name(typed, known);
  return name.empty() ? "" : fmt::format(" (did you mean '{}'?)", name);
}

}  // namespace sotto
