#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <sotto/language_models.hpp>
#include <sotto/tokenizer.hpp>

#include "base/compressed_input.hpp"
#include "lm/sentence_encoder.hpp"
#include "lm/text_scorer.hpp"

namespace sotto {
using namespace lm;
namespace {

constexpr std::size_t kPairsAtOnce = 1024;  // keeps the memory for vectors small

double perplexity_of(double log_probability, std::uint64_t count) {
  return count == 0 ? 1 : std::exp(-log_probability / static_cast<double>(count));
}

std::vector<std::string> valid(std::span<const std::string> texts) {
  std::uint64_t replaced = 0;
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.push_back(replace_invalid_utf8(text, replaced));
  return result;
}

}  // namespace

double TextScore::perplexity() const {
  return perplexity_of(log_probability, tokens);
}

double TextScore::perplexity_per_word() const {
  return perplexity_of(log_probability, words);
}

double SimilarityReport::mean() const {
  if (cosines.empty()) return 0;
  return std::accumulate(cosines.begin(), cosines.end(), 0.0) / static_cast<double>(cosines.size());
}

TextScore PerplexityReport::total() const {
  TextScore sum;
  for (const TextScore& score : scores) sum += score;
  return sum;
}

TextScore& TextScore::operator+=(const TextScore& other) {
  log_probability += other.log_probability;
  tokens += other.tokens;
  words += other.words;
  return *this;
}

Result<std::vector<double>> text_similarities(std::span<const std::string> first,
                                              std::span<const std::string> second, std::string_view model,
                                              const LanguageModelResources& resources) {
  if (first.size() != second.size())
    return fail(Errc::invalid_argument, fmt::format("{} texts cannot be compared with {}, pair by pair",
                                                    first.size(), second.size()));
  SOTTO_ASSIGN(const auto folder, find_language_model(model));
  SOTTO_ASSIGN(const auto encoder, SentenceEncoder::open(folder, resources));
  std::vector<double> cosines;
  cosines.reserve(first.size());
  const std::size_t width = encoder->dimension();
  for (std::size_t begin = 0; begin < first.size(); begin += kPairsAtOnce) {
    const std::size_t count = std::min(kPairsAtOnce, first.size() - begin);
    SOTTO_ASSIGN(const std::vector<float> a, encoder->encode(valid(first.subspan(begin, count))));
    SOTTO_ASSIGN(const std::vector<float> b, encoder->encode(valid(second.subspan(begin, count))));
    for (std::size_t i = 0; i < count; ++i)
      cosines.push_back(dot(std::span(a).subspan(i * width, width), std::span(b).subspan(i * width, width)));
  }
  return cosines;
}

Result<std::vector<TextScore>> text_scores(std::span<const std::string> texts, std::string_view model,
                                           const LanguageModelResources& resources) {
  SOTTO_ASSIGN(const auto folder, find_language_model(model));
  SOTTO_ASSIGN(const auto scorer, TextScorer::open(folder, resources));
  return scorer->score(valid(texts));
}

Result<std::vector<std::string>> read_text_lines(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const std::string text, base::read_content(file));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (!is_valid_utf8(line))
      return fail(Errc::bad_format,
                  fmt::format("{}: line {} is not valid UTF-8", file.string(), lines.size() + 1));
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace sotto
