#include "evaluate/experiment/text_samples.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "evaluate/metrics/text_metrics.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::size_t kSampledTexts = 3;
constexpr std::size_t kSearchedRows = 200;  // of a split, from its beginning

/// What is shown of a data set.
struct ShownRows {
  std::string split;
  std::size_t column = 0;
  std::vector<std::size_t> rows;
};

/// The first rows that are long enough to show something and short enough to be read.
std::vector<std::size_t> readable_rows(const std::vector<std::string>& texts) {
  constexpr std::size_t kFewestWords = 5;
  constexpr std::size_t kMostWords = 40;
  std::vector<std::size_t> rows;
  const std::size_t searched = std::min(texts.size(), kSearchedRows);
  for (std::size_t row = 0; row < searched && rows.size() < kSampledTexts; ++row) {
    const std::size_t words = words_of(texts[row]).size();
    if (words >= kFewestWords && words <= kMostWords) rows.push_back(row);
  }
  for (std::size_t row = 0; row < searched && rows.size() < kSampledTexts; ++row)
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// The first column that is rewritten; there is one.
std::size_t shown_column(const DatasetEntry& entry) {
  std::size_t column = 0;
  while (!entry.is_privatized(column)) ++column;
  return column;
}

}  // namespace

std::vector<TextSample> sample_texts(const std::vector<TextRequest>& requests, const RewrittenTexts& texts,
                                     const ExperimentInputs& inputs) {
  std::map<std::string, ShownRows> shown;
  std::set<std::tuple<std::string, std::string, std::string, double>> seen;
  std::vector<TextSample> samples;
  for (const TextRequest& request : requests) {
    const auto key = texts.key(request);
    const auto split = inputs.split(request.dataset, request.split);
    if (request.repetition > 0 || !key || !split || !texts.is_made(*key)) continue;
    auto [of, is_new] = shown.try_emplace(request.dataset);
    if (is_new) {
      const std::size_t column = shown_column(inputs.entry(request.dataset));
      of->second = {request.split, column, readable_rows((*split)->texts[column])};
    }
    if (of->second.split != request.split || of->second.rows.empty()) continue;
    if (!seen.emplace(request.dataset, request.model, request.mechanism, request.epsilon).second) continue;
    const auto rewritten = texts.load_first(request, of->second.rows.back() + 1);
    if (!rewritten || (*rewritten)[of->second.column].size() <= of->second.rows.back()) continue;
    TextSample sample{request.dataset, request.model, request.mechanism, request.epsilon, {}, {}};
    for (const std::size_t row : of->second.rows) {
      sample.originals.push_back((*split)->texts[of->second.column][row]);
      sample.privatized.push_back((*rewritten)[of->second.column][row]);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace sotto::evaluate
