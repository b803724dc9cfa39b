// The truncated Gumbel mechanism of the paper "A Comparative Analysis of Word-Level Metric Differential
// Privacy": k ~ Poisson(ln n) truncated to [1, n], then the smallest distance plus truncated Gumbel noise
// among the k nearest words, starting with the word itself.
//
// It guarantees nothing: a word stays with probability at least P(k = 1), while another word's chance of
// becoming it falls factorially with its rank, so the published theorem is false.
//
// Errors in the published code that are avoided here: squared distances used as distances; largest and
// smallest distance taken from one random word; k = 0; a crash just below the range where the formula is
// defined. With calibration=paper its scale below that range is kept, noise that shrinks as ε falls, because
// that is what has been compared.
#include "mechanisms/noise/gumbel.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "mechanisms/noise/gumbel_law.hpp"
#include "mechanisms/noise/gumbel_lists.hpp"
#include "mechanisms/noise/gumbel_scale.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "random/continuous.hpp"
#include "random/portable_math.hpp"
#include "random/weighted.hpp"

namespace sotto::mechanism {
namespace {

/// P(k = i + 1) in units of 2^-62 for a Poisson variable of mean ln(words) truncated to [1, words], up to
/// where it becomes zero.
std::vector<std::uint64_t> count_weights(std::uint32_t words) {
  const double mean = random::portable_log(words);
  std::vector<double> terms;
  double sum = 0;
  double term = 1;
  for (std::uint32_t k = 1; k <= words && (k <= mean || term > 0x1p-70 * sum); ++k) {
    term *= mean / k;
    terms.push_back(term);
    sum += term;
  }
  std::vector<std::uint64_t> weights;
  for (const double value : terms)
    if (const auto weight = static_cast<std::uint64_t>(value / sum * 0x1p62); weight > 0)
      weights.push_back(weight);
  return weights;
}

/// An upper bound on −portable_log(u) for a normal u in (0, 1].
double most_negative_log(double u) {
  constexpr double kAboveLog2 = 0.693147180560;
  const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(u) >> 52) - 1023;
  return kAboveLog2 * -exponent;
}

class Gumbel final : public Mechanism {
 public:
  Gumbel(std::shared_ptr<const NoiseSpace> space, double epsilon, double scale, double bound,
         std::shared_ptr<const random::CumulativeTable> counts, std::shared_ptr<GumbelLists::Room> room)
      : space_(std::move(space)),
        epsilon_(epsilon),
        scale_(scale),
        bound_(bound),
        counts_(std::move(counts)),
        lists_(*space_, counts_->size(), scale, std::move(room)),
        low_(random::portable_exp(-random::portable_exp(bound / scale))),
        mass_(random::portable_exp(-random::portable_exp(-bound / scale)) - low_) {}

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<UnbatchedTokens<Gumbel>>(*this);
  }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    constexpr std::size_t kTokens = 4096;  // bounds the lists made at a time
    for (std::size_t begin = 0; begin < in.size(); begin += kTokens) {
      const std::span<const TokenId> part = in.subspan(begin, std::min(kTokens, in.size() - begin));
      GumbelLists::Extra extra;
      lists_.prepare(part, extra);
      for (std::size_t i = 0; i < part.size(); ++i)
        out[begin + i] = choose(lists_.find(part[i], extra), bits);
    }
  }

  Guarantee guarantee() const override {
    return {.kind = GuaranteeKind::none,
            .unit = {},
            .scope = GuaranteeScope::all_inputs,
            .epsilon = epsilon_,
            .assumptions = {},
            .statement = fmt::format(
                "No differential privacy: a word stays with at least the probability that k = 1, while the "
                "probability that another word becomes it falls factorially with its rank, so the published "
                "theorem is false. Noise of scale {:.6g}, truncated to +-{:.6g}.",
                scale_, bound_)};
  }

  std::vector<double> row(TokenId word) const override {
    GumbelLists::Extra extra;
    lists_.prepare(std::span(&word, 1), extra);
    const GumbelCandidate* list = lists_.find(word, extra);
    std::vector<double> distances;
    std::vector<double> counts;
    for (std::size_t i = 0; i < lists_.length(); ++i) {
      distances.push_back(-scale_ * std::log(static_cast<double>(list[i].weight)));
      counts.push_back(static_cast<double>(counts_->weight(i)) / static_cast<double>(counts_->total()));
    }
    const std::vector<double> law = gumbel_choice_law(distances, counts, scale_, bound_);
    std::vector<double> probabilities(space_->model().size());
    for (std::size_t i = 0; i < law.size(); ++i) probabilities[list[i].word] = law[i];
    return probabilities;
  }

 private:
  /// d + g with g = −b·ln(−ln u) is smallest where (−ln u)·exp(−d/b) is largest: one logarithm per candidate,
  /// and none if the exponent of u already rules it out.
  TokenId choose(const GumbelCandidate* list, BitSource& bits) const {
    const std::size_t k = counts_->sample(bits) + std::size_t{1};
    double best = -1;
    TokenId word = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const double u = low_ + mass_ * random::open_uniform(bits);
      if (most_negative_log(u) * list[i].weight <= best) continue;
      const double score = -random::portable_log(u) * list[i].weight;
      if (score <= best) continue;
      best = score;
      word = list[i].word;
    }
    return word;
  }

  std::shared_ptr<const NoiseSpace> space_;
  double epsilon_;
  double scale_;
  double bound_;
  std::shared_ptr<const random::CumulativeTable> counts_;
  GumbelLists lists_;
  double low_;   ///< P(noise < −bound) before truncation
  double mass_;  ///< P(|noise| <= bound) before truncation
};

}  // namespace

MechanismInfo gumbel_info() {
  return {.name = "gumbel",
          .summary = "takes one of a random number of nearest words by distance plus truncated Gumbel noise",
          .metric = "Euclidean distance of the vectors",
          .guarantee = "none: the published theorem is false",
          .speed = "millions of words per second, once the nearest words are known",
          .use_when = "you compare with published results; not to protect anything",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"calibration", "paper",
                          "paper: the noise scale of the published code; theorem: refuse every epsilon for "
                          "which the formula is not defined"}}};
}

Result<MechanismFamily> prepare_gumbel(const MechanismRequest& request) {
  SOTTO_ASSIGN(
      const std::size_t calibration,
      read_choice("parameters.calibration", request.parameters.at("calibration"), {"paper", "theorem"}));
  const auto calibrated = calibration == 0 ? GumbelCalibration::paper : GumbelCalibration::theorem;
  SOTTO_ASSIGN(auto space, NoiseSpace::make(request.model));
  SOTTO_ASSIGN(const WordDistances distances, word_distances(*space, request.resources.threads));
  SOTTO_ASSIGN(random::CumulativeTable table,
               random::CumulativeTable::make(count_weights(request.model->size())));
  const std::uint64_t lists = request.resources.memory / (table.size() * sizeof(GumbelCandidate));
  auto room = std::make_shared<GumbelLists::Room>(static_cast<std::int64_t>(lists));
  auto counts = std::make_shared<const random::CumulativeTable>(std::move(table));
  const std::uint32_t words = request.model->size();
  return MechanismFamily{
      [=](double epsilon) -> Result<std::unique_ptr<Mechanism>> {
        SOTTO_ASSIGN(const double scale, gumbel_scale(calibrated, epsilon, words, distances));
        return std::make_unique<Gumbel>(space, epsilon, scale, distances.largest, counts, room);
      },
      words * sizeof(void*)};
}

}  // namespace sotto::mechanism
