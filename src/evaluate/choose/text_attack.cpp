#include "evaluate/choose/text_attack.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <sotto/tokenizer.hpp>

#include "audit/attack/learned_adversary.hpp"
#include "base/parallel.hpp"
#include "base/work_meter.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::size_t kFrequentCandidates = 500;
// Rows computed between two questions whether to go on.
constexpr std::size_t kRowsInTurn = 64;
constexpr std::size_t kOutputsInTurn = 4096;
// Of a mechanism without rows. A search over ε needs many measurements, so each must be quick.
constexpr std::uint64_t kDrawsPerCandidate = 16;
constexpr std::size_t kDrawsForTuning = 4000;
constexpr std::size_t kTextDraws = 4000;

/// The most frequent words and those of the text, ascending.
std::vector<TokenId> candidate_words(const KnownWords& text, std::span<const double> frequencies) {
  std::vector<TokenId> order(frequencies.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  const std::size_t count = std::min(kFrequentCandidates, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](TokenId a, TokenId b) {
                      return frequencies[a] != frequencies[b] ? frequencies[a] > frequencies[b] : a < b;
                    });
  std::set<TokenId> words(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  for (const auto& [word, occurrences] : text.counts) words.insert(word);
  return {words.begin(), words.end()};
}

/// For each output the candidate with the largest π(w)f(y|w), and that value.
struct BestGuesses {
  explicit BestGuesses(std::size_t outputs) : joint(outputs), candidate(outputs) {}

  void add(std::uint32_t index, double prior, std::span<const double> row, std::size_t begin,
           std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
      const double value = prior * row[y];
      if (value <= joint[y]) continue;
      joint[y] = value;
      candidate[y] = index;
    }
  }

  /// The probability that each candidate is recovered if it is the word.
  std::vector<double> recovered(std::span<const double> priors) const {
    std::vector<double> shares(priors.size());
    for (std::size_t y = 0; y < joint.size(); ++y)
      if (joint[y] > 0) shares[candidate[y]] += joint[y] / priors[candidate[y]];
    return shares;
  }

  std::vector<double> joint;
  std::vector<std::uint32_t> candidate;
};

}  // namespace

KnownWords KnownWords::of(const Model& model, std::span<const std::string> documents) {
  KnownWords words;
  std::vector<Token> tokens;
  for (const std::string& document : documents) {
    tokenize(document, tokens);
    for (const Token& token : tokens) {
      if (token.token_class == TokenClass::punctuation || token.token_class == TokenClass::number) continue;
      const TokenId id =
          token.token_class == TokenClass::word
              ? model.find(std::string_view(document).substr(token.begin, token.end - token.begin))
              : model.bottom();
      if (id == model.bottom()) {
        ++words.unknown;
      } else {
        ++words.known;
        ++words.counts[id];
      }
    }
  }
  return words;
}

TextAttack::TextAttack(std::shared_ptr<const Model> model, KnownWords text,
                       std::span<const double> frequencies)
    : model_(std::move(model)) {
  candidates_.words = candidate_words(text, frequencies);
  double sum = 0;
  for (const TokenId word : candidates_.words) {
    candidates_.prior.push_back(frequencies[word]);
    sum += frequencies[word];
    const auto found = text.counts.find(word);
    weights_.push_back(found == text.counts.end()
                           ? 0
                           : static_cast<double>(found->second) / static_cast<double>(text.known));
    is_content_.push_back(!is_stopword(model_->word(word)));
  }
  for (double& prior : candidates_.prior) prior /= sum;
}

double TextAttack::blind() const {
  const auto likeliest = std::max_element(candidates_.prior.begin(), candidates_.prior.end());
  return weights_[static_cast<std::size_t>(likeliest - candidates_.prior.begin())];
}

Result<TextFigures> TextAttack::measure(const Mechanism& mechanism, double epsilon,
                                        const AttackSettings& settings) {
  return mechanism.row(candidates_.words.front()).empty() ? measure_by_trial(mechanism, epsilon, settings)
                                                          : measure_exactly(mechanism, settings);
}

Result<TextFigures> TextAttack::measure_exactly(const Mechanism& mechanism,
                                                const AttackSettings& settings) const {
  const unsigned threads = base::thread_count(settings.threads);
  const std::vector<TokenId>& words = candidates_.words;
  BestGuesses best(model_->size());
  std::vector<double> changed(words.size());
  std::vector<std::vector<double>> rows(kRowsInTurn);
  for (std::size_t first = 0; first < words.size(); first += kRowsInTurn) {
    SOTTO_TRY(base::report_progress(settings.progress, 0, 0));
    const std::size_t count = std::min(kRowsInTurn, words.size() - first);
    base::parallel_for(count, 1, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        rows[i] = mechanism.row(words[first + i]);
        changed[first + i] = 1 - rows[i][words[first + i]];
      }
    });
    base::parallel_for(model_->size(), kOutputsInTurn, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < count; ++i)
        best.add(static_cast<std::uint32_t>(first + i), candidates_.prior[first + i], rows[i], begin, end);
    });
  }
  return weigh(changed, best.recovered(candidates_.prior));
}

Result<TextFigures> TextAttack::measure_by_trial(const Mechanism& mechanism, double epsilon,
                                                 const AttackSettings& settings) {
  if (!space_) {
    SOTTO_ASSIGN(space_, audit::WordSpace::make(*model_));
    SOTTO_ASSIGN(near_, audit::nearest_secrets(*space_, candidates_, settings.threads));
  }
  AttackOptions options;
  options.mechanism.epsilon = epsilon;
  options.mechanism.resources.threads = settings.threads;
  options.draws = kDrawsPerCandidate;
  options.seed = settings.seed;
  options.progress = settings.progress;
  const audit::AttackScene scene{mechanism, *model_, *space_, candidates_, options};
  SOTTO_ASSIGN(const auto adversary, audit::LearnedAdversary::learn(scene, near_, kDrawsForTuning));

  // The words of the text in turn, each as often as it occurs there.
  const audit::Secrets text{candidates_.words, weights_};
  const audit::AttackScene on_text{mechanism, *model_, *space_, text, options};
  const audit::DrawnSecrets drawn =
      audit::draw_secrets(on_text, kTextDraws, *audit::attack_bits(options, "text", 0));
  TextFigures figures;
  double content = 0;
  double content_recovered = 0;
  for (std::size_t i = 0; i < kTextDraws; ++i) {
    const std::uint32_t secret = drawn.secrets[i];
    const bool recovered = adversary.best_guess(drawn.outputs[i]) == secret;
    figures.changed += drawn.outputs[i] == text.words[secret] ? 0 : 1;
    figures.recovered += recovered ? 1 : 0;
    content += is_content_[secret] ? 1 : 0;
    content_recovered += is_content_[secret] && recovered ? 1 : 0;
  }
  figures.changed /= kTextDraws;
  figures.recovered /= kTextDraws;
  figures.recovered_content = content > 0 ? content_recovered / content : 0;
  return figures;
}

TextFigures TextAttack::weigh(std::span<const double> changed, std::span<const double> recovered) const {
  TextFigures figures;
  double content = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    figures.changed += weights_[i] * changed[i];
    figures.recovered += weights_[i] * recovered[i];
    if (!is_content_[i]) continue;
    content += weights_[i];
    figures.recovered_content += weights_[i] * recovered[i];
  }
  if (content > 0) figures.recovered_content /= content;
  // Rows are rounded, so sums may leave [0, 1] by a little.
  for (double* share : {&figures.changed, &figures.recovered, &figures.recovered_content})
    *share = std::clamp(*share, 0.0, 1.0);
  return figures;
}

}  // namespace sotto::evaluate
