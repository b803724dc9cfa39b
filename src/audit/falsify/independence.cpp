#include "audit/falsify/independence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "audit/clopper_pearson.hpp"

namespace sotto::audit {
namespace {

constexpr std::size_t kShortestDocument = 32;
constexpr std::size_t kLongestDocument = 4096;
constexpr std::size_t kDistances[] = {1, 2, 3, 4, 8, 16};

using Documents = std::vector<std::vector<OutputId>>;

struct Agreements {
  std::uint64_t pairs = 0;
  std::uint64_t agreeing = 0;

  void add(OutputId a, OutputId b) {
    ++pairs;
    agreeing += a == b ? 1U : 0U;
  }
  double lower(double alpha) const { return lower_bound(agreeing, pairs, alpha); }
  double upper(double alpha) const { return upper_bound(agreeing, pairs, alpha); }
  std::string text() const { return fmt::format("{} of {}", agreeing, pairs); }
};

/// How long documents must be for repeats to be significant; 0: no length suffices.
std::size_t document_length(std::span<const OutputId> sample, std::uint64_t runs, double alpha) {
  Agreements agreements;
  for (std::size_t i = 0; i + 1 < sample.size(); i += 2) agreements.add(sample[i], sample[i + 1]);
  if (agreements.pairs == 0) return 0;
  const double agree = agreements.upper(alpha / 2);
  if (agree >= 1) return 0;
  const double pairs_of_runs = static_cast<double>(runs) * static_cast<double>(runs - 1) / 2;
  const double length = std::ceil(std::log(alpha / 2 / pairs_of_runs) / std::log(agree));
  if (length > static_cast<double>(kLongestDocument)) return 0;
  return std::max(kShortestDocument, static_cast<std::size_t>(length));
}

IndependenceFinding repeated_outputs(const Documents& documents, std::size_t length) {
  IndependenceFinding finding{"repeated outputs", length > 0, false, {}};
  if (length == 0) {
    finding.detail = fmt::format(
        "outputs vary so little that even documents of {} words may repeat by chance", kLongestDocument);
    return finding;
  }
  const std::set<std::vector<OutputId>> distinct(documents.begin(), documents.end());
  const std::size_t repeats = documents.size() - distinct.size();
  finding.refutes = repeats > 0;
  finding.detail = fmt::format(
      "{} independent runs over {} words gave {} different outputs; noise of about {:.0f} bits of entropy or "
      "fewer would show",
      documents.size(), length, distinct.size(),
      std::log2(static_cast<double>(documents.size()) * static_cast<double>(documents.size() - 1) / 2));
  return finding;
}

/// Disjoint pairs of positions `distance` apart.
Agreements agreements_at(const Documents& documents, std::size_t distance) {
  Agreements agreements;
  for (const auto& document : documents)
    for (std::size_t begin = 0; begin + 2 * distance <= document.size(); begin += 2 * distance)
      for (std::size_t i = begin; i < begin + distance; ++i)
        agreements.add(document[i], document[i + distance]);
  return agreements;
}

Agreements agreements_between(const Documents& documents) {
  Agreements agreements;
  for (std::size_t d = 0; d + 1 < documents.size(); d += 2)
    for (std::size_t i = 0; i < documents[d].size(); ++i)
      agreements.add(documents[d][i], documents[d + 1][i]);
  return agreements;
}

IndependenceFinding agreement_at_a_distance(const Documents& documents, double alpha) {
  IndependenceFinding finding{"agreement at a distance", true, false, {}};
  const double each = alpha / static_cast<double>(2 + 2 * std::size(kDistances));
  const Agreements reference = agreements_between(documents);
  double farthest = -1;
  for (const std::size_t distance : kDistances) {
    const Agreements found = agreements_at(documents, distance);
    const bool refutes =
        found.lower(each) > reference.upper(each) || found.upper(each) < reference.lower(each);
    const auto rate = [](const Agreements& a) {
      return static_cast<double>(a.agreeing) / static_cast<double>(a.pairs);
    };
    const double deviation = std::abs(rate(found) - rate(reference)) + (refutes ? 1 : 0);
    if (deviation <= farthest) continue;
    farthest = deviation;
    finding.refutes = finding.refutes || refutes;
    finding.detail =
        fmt::format("words {} apart in one document agree in {} cases, words of different runs in {}",
                    counted(distance, "place"), found.text(), reference.text());
  }
  return finding;
}

using Neighbours = std::pair<OutputId, OutputId>;

struct NeighbourCounts {
  std::uint64_t pairs = 0;
  std::map<Neighbours, std::uint64_t> together;
  std::map<OutputId, std::uint64_t> first;
  std::map<OutputId, std::uint64_t> second;
};

NeighbourCounts count_neighbours(std::span<const std::vector<OutputId>> documents) {
  NeighbourCounts counts;
  for (const auto& document : documents) {
    for (std::size_t i = 0; i + 1 < document.size(); i += 2) {
      ++counts.pairs;
      ++counts.together[{document[i], document[i + 1]}];
      ++counts.first[document[i]];
      ++counts.second[document[i + 1]];
    }
  }
  return counts;
}

/// The neighbours that co-occurred most often beyond chance, in standard deviations.
Neighbours most_dependent(const NeighbourCounts& counts) {
  Neighbours best;
  double largest = -1;
  for (const auto& [neighbours, together] : counts.together) {
    const double expected = static_cast<double>(counts.first.at(neighbours.first)) *
                            static_cast<double>(counts.second.at(neighbours.second)) /
                            static_cast<double>(counts.pairs);
    const double excess = (static_cast<double>(together) - expected) / std::sqrt(expected + 1);
    if (excess <= largest) continue;
    largest = excess;
    best = neighbours;
  }
  return best;
}

IndependenceFinding joint_event(const Target& target, const Documents& documents, double alpha) {
  IndependenceFinding finding{"joint event", true, false, {}};
  const auto half = static_cast<std::ptrdiff_t>(documents.size() / 2);
  const NeighbourCounts chosen_on = count_neighbours(std::span(documents.begin(), documents.begin() + half));
  const NeighbourCounts tested_on = count_neighbours(std::span(documents.begin() + half, documents.end()));
  const Neighbours event = most_dependent(chosen_on);
  const auto count = [](const auto& counts, const auto& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? std::uint64_t{0} : found->second;
  };
  const std::uint64_t together = count(tested_on.together, event);
  const std::uint64_t first = count(tested_on.first, event.first);
  const std::uint64_t second = count(tested_on.second, event.second);
  finding.refutes =
      lower_bound(together, tested_on.pairs, alpha / 3) >
      upper_bound(first, tested_on.pairs, alpha / 3) * upper_bound(second, tested_on.pairs, alpha / 3);
  finding.detail = fmt::format(
      "'{}' was followed by '{}' in {} of {} places; {:.1f} were expected by chance",
      target.output(event.first), target.output(event.second), together, tested_on.pairs,
      static_cast<double>(first) * static_cast<double>(second) / static_cast<double>(tested_on.pairs));
  return finding;
}

}  // namespace

Result<std::vector<IndependenceFinding>> check_independence(Target& target,
                                                            const IndependenceOptions& options,
                                                            std::span<const OutputId> sample) {
  const double alpha = options.alpha / 3;
  const std::size_t length = document_length(sample, options.runs, alpha);
  Documents documents(options.runs, std::vector<OutputId>(length == 0 ? kShortestDocument : length));
  for (std::size_t run = 0; run < documents.size(); ++run)
    SOTTO_TRY(target.draw_run(options.first_run + run, options.input, documents[run]));
  return std::vector<IndependenceFinding>{repeated_outputs(documents, length),
                                          agreement_at_a_distance(documents, alpha),
                                          joint_event(target, documents, alpha)};
}

}  // namespace sotto::audit
