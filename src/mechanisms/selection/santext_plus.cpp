// Paper "Differential Privacy for Text Analytics via Natural Text Sanitization", Algorithm 2 (SanText+): the
// least frequent words are sensitive. A sensitive word is replaced as in SanText, by a sensitive word; any
// other is kept with probability 1 − p and otherwise replaced in the same way.
//
// The set of sensitive words is visible in the output, so it must not come from the private text: the
// frequencies are the model's public counts. A word outside the vocabulary is sensitive, not released.
#include "mechanisms/selection/santext_plus.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "mechanisms/selection/selection.hpp"
#include "privacy/rounding.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::mechanism {
namespace {

// p is a multiple of 2^-53: the coin compares 53 uniform bits with an integer, so it is exact for that p.
constexpr std::uint64_t kCoinSides = std::uint64_t{1} << 53;

class SanTextPlus final : public SelectionMechanism {
 public:
  SanTextPlus(std::unique_ptr<Selection> selection, double epsilon,
              std::shared_ptr<const std::vector<bool>> sensitive, std::uint64_t replaced_sides)
      : SelectionMechanism(std::move(selection)),
        epsilon_(epsilon),
        sensitive_(std::move(sensitive)),
        replaced_sides_(replaced_sides) {}

  std::unique_ptr<PendingTokens> make_pending() const override { return std::make_unique<Tokens>(*this); }

  Guarantee guarantee() const override {
    return {.kind = GuaranteeKind::analytic,
            .unit = {"Euclidean distance of the vectors", selection().model().digest()},
            .scope = GuaranteeScope::sensitive_outputs,
            .epsilon = epsilon_,
            .additive = extra(),
            .assumptions = selection_assumptions(),
            .statement = fmt::format(
                "For any two words, and words outside the vocabulary, the probabilities of each sensitive "
                "output differ at most by the factor exp({} d), d the Euclidean distance of their vectors, "
                "and where only one of the two is sensitive by exp({} d + {}), the latter being ln(1/p). A "
                "word that is not sensitive is kept with probability {}, and an output that is not "
                "sensitive reveals the input.",
                epsilon_, epsilon_, extra(), 1 - probability())};
  }

  Result<void> show_rows(RowVisitor&) const override {
    return fail(Errc::invalid_argument,
                "an output that is not sensitive reveals the input, so the loss has no bound");
  }

  double distance(TokenId a, TokenId b) const override { return selection().distance(a, b); }

  bool covers(TokenId output) const override { return (*sensitive_)[output]; }

  std::vector<double> row(TokenId word) const override {
    std::vector<double> row = selection().row(word);
    if ((*sensitive_)[word]) return row;
    for (double& value : row) value *= probability();
    row[word] += 1 - probability();
    return row;
  }

  std::vector<double> column(TokenId output) const override {
    std::vector<double> column = selection().column(output);
    for (TokenId word = 0; word < column.size(); ++word)
      if (!(*sensitive_)[word]) column[word] *= probability();
    if (!column.empty() && !(*sensitive_)[output]) column[output] += 1 - probability();
    return column;
  }

  double moved_mass(TokenId word) const override {
    return selection().moved_mass(word) * ((*sensitive_)[word] ? 1 : probability());
  }

 private:
  // The coin is drawn first; the two words of the selection only if needed.
  class Tokens final : public SelectionTokens {
   public:
    explicit Tokens(const SanTextPlus& mechanism)
        : SelectionTokens(mechanism.selection()), mechanism_(mechanism) {}

    void add(std::span<const TokenId> in, BitSource& bits) override {
      for (const TokenId input : in) {
        if ((*mechanism_.sensitive_)[input] ||
            random::bernoulli(bits, mechanism_.replaced_sides_, kCoinSides)) {
          add_selected(input, bits);
        } else {
          add_kept(input);
        }
      }
    }

   private:
    const SanTextPlus& mechanism_;
  };

  /// ln(1/p), rounded up: the library's logarithm is off by less than two units in the last place.
  double extra() const {
    return replaced_sides_ == kCoinSides ? 0 : privacy::round_up(privacy::round_up(-std::log(probability())));
  }

  double probability() const { return static_cast<double>(replaced_sides_) * 0x1p-53; }

  double epsilon_;
  std::shared_ptr<const std::vector<bool>> sensitive_;
  std::uint64_t replaced_sides_;
};

/// The `share` least frequent words (at least one), ascending; at equal counts later words come first, as
/// models list words by descending frequency.
std::vector<TokenId> sensitive_words(std::span<const std::uint64_t> counts, double share) {
  std::vector<TokenId> words(counts.size());
  std::iota(words.rbegin(), words.rend(), TokenId{0});
  std::stable_sort(words.begin(), words.end(), [&](TokenId a, TokenId b) { return counts[a] < counts[b]; });
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(words.size()));
  words.resize(std::clamp<std::size_t>(wanted, 1, words.size()));
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

MechanismInfo santext_plus_info() {
  return {
      .name = "santext-plus",
      .summary =
          "selects as santext does among the rarer half of the vocabulary; most frequent words are kept",
      .metric = "Euclidean distance of the vectors",
      .guarantee =
          "analytic, for sensitive outputs only: epsilon times the distance, plus ln(1/p); a kept "
          "word is revealed",
      .speed = "fast: millions of words per second once the rows of frequent words are prepared",
      .use_when = "readable text matters more than hiding common words",
      .default_model = "sotto-en-wordnet",
      .parameters = {{"share", "0.5",
                      "share of the vocabulary that is sensitive, the least frequent; "
                      "from 1e-9 to 1"},
                     {"p", "0.2", "probability of replacing a word that is not sensitive; from 1e-9 to 1"}}};
}

Result<MechanismFamily> prepare_santext_plus(const MechanismRequest& request) {
  SOTTO_ASSIGN(const double share, read_number("parameters.share", request.parameters.at("share"), 1e-9, 1));
  SOTTO_ASSIGN(const double p, read_number("parameters.p", request.parameters.at("p"), 1e-9, 1));
  const Model& model = *request.model;
  if (model.dimension() > 0 && model.counts().empty())
    return fail_parameter("model", model.name(),
                          fmt::format("'{}' has no counts; give a model with counts", model.name()));
  std::vector<TokenId> candidates;
  if (model.dimension() > 0) candidates = sensitive_words(model.counts(), share);
  auto sensitive = std::make_shared<std::vector<bool>>(model.size() + 1ULL, false);
  (*sensitive)[model.bottom()] = true;
  for (const TokenId id : candidates) (*sensitive)[id] = true;
  SOTTO_ASSIGN(auto space, SelectionSpace::make(request, "exponential", std::move(candidates)));
  const std::uint64_t bytes = space->bytes_each();
  const auto replaced_sides = static_cast<std::uint64_t>(std::llround(p * static_cast<double>(kCoinSides)));
  return MechanismFamily{
      [space = std::move(space), sensitive = std::move(sensitive), replaced_sides](double epsilon) {
        return std::make_unique<SanTextPlus>(std::make_unique<Selection>(space, epsilon), epsilon, sensitive,
                                             replaced_sides);
      },
      bytes};
}

}  // namespace sotto::mechanism
