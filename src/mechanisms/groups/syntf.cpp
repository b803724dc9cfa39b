// Paper "A Comparative Analysis of Word-Level Metric Differential Privacy", appendix A, algorithm "SynTF
// Term-Frequency Vector Synthesis", step 3: an exponential mechanism P(y|x) ∝ exp(½·ε·ρ(x, y)), ρ in [0, 1],
// over the WordNet synonyms of a word. (Its steps 2 and 5 draw words from a document's frequencies and count
// them; here every word of a text is replaced in place.)
//
// Errors in the published code: the only outputs of a word are its own synonyms, so "dog" and "car" have none
// in common and there is no guarantee at all; a word without synonyms is silently released unchanged; the
// score looks up the input word, so it is the same for all its synonyms and ε has no effect. Here,
// candidates=synonyms states that it guarantees nothing and how many words have no other candidate,
// candidates=vocabulary gives every word of the vocabulary a chance, and the score is that of the synonym.
#include "mechanisms/groups/syntf.hpp"

#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "mechanisms/exponential_weights.hpp"
#include "mechanisms/groups/syntf_candidates.hpp"
#include "mechanisms/integer_rows.hpp"
#include "mechanisms/unbatched_tokens.hpp"
#include "privacy/rounding.hpp"
#include "random/mpfr_real.hpp"
#include "random/weighted.hpp"

namespace sotto::mechanism {
namespace {

enum class Candidates { synonyms, vocabulary };

/// The parts that do not depend on ε. Immutable, so safe to share.
struct SynonymRows {
  SynonymRows(std::shared_ptr<const Model> of, const RatedSynonyms& synonyms, std::string digest)
      : model(std::move(of)), wordnet_digest(std::move(digest)) {
    begins.reserve(model->size() + 2ULL);
    words.reserve(synonyms.size());
    ratings.reserve(synonyms.size());
    for (TokenId word = 0; word < model->size(); ++word) {
      const auto entries = synonyms.of(word);
      if (entries.size() == 1) ++lone_words;
      begins.push_back(words.size());
      for (const RatedWord& entry : entries) {
        words.push_back(entry.word);
        ratings.push_back(entry.rating);
      }
    }
    begins.insert(begins.end(), 2, words.size());  // ⊥ has no synonyms
  }

  std::shared_ptr<const Model> model;
  std::string wordnet_digest;
  std::vector<std::size_t> begins;  ///< by input, plus one
  std::vector<TokenId> words;
  std::vector<double> ratings;
  std::size_t lone_words = 0;
};

class Syntf final : public IntegerMechanism {
 public:
  Syntf(std::shared_ptr<const SynonymRows> synonyms, double epsilon, Candidates candidates)
      : synonyms_(std::move(synonyms)),
        model_(synonyms_->model.get()),
        epsilon_(epsilon),
        candidates_(candidates) {
    const random::MpfrCleanup cleanup;
    const int bits = weight_bits(model_->size());
    rest_weight_ = weight_of_loss(epsilon, 1, bits);
    std::unordered_map<double, std::uint64_t> weights;  // there are few distinct ratings
    cumulative_.reserve(synonyms_->words.size());
    for (TokenId word = 0; word < model_->size(); ++word) {
      std::uint64_t sum = 0;
      for (std::size_t i = synonyms_->begins[word]; i < synonyms_->begins[word + 1ULL]; ++i) {
        const auto [weight, is_new] = weights.try_emplace(synonyms_->ratings[i]);
        if (is_new) weight->second = weight_of_loss(epsilon, 1 - synonyms_->ratings[i], bits);
        cumulative_.push_back(sum += weight->second);
      }
    }
  }

  std::unique_ptr<PendingTokens> make_pending() const override {
    return std::make_unique<UnbatchedTokens<Syntf>>(*this);
  }

  std::string data_digest() const override { return synonyms_->wordnet_digest; }

  void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Row row = row_of(in[i]);
      const std::uint64_t position = draw_position(bits, row.total);
      const std::size_t known = random::find_in_steps(row.cumulative, position);
      out[i] = known < row.words.size()
                   ? row.words[known]
                   : rest_word(row, static_cast<TokenId>((position - row.rated) / rest_weight_));
    }
  }

  Guarantee guarantee() const override {
    const bool all = candidates_ == Candidates::vocabulary;
    return {
        .kind = all ? GuaranteeKind::analytic : GuaranteeKind::none,
        .unit = {},
        .scope = GuaranteeScope::all_inputs,
        .epsilon = epsilon_,
        .rho = all ? privacy::multiply_up(epsilon_, epsilon_) / 8 : 0,
        .assumptions = {"the keyed stream is indistinguishable from uniform bits"},
        .statement = all ? fmt::format("For any two words, and words outside the vocabulary, the "
                                       "probabilities of each output differ at most by the factor exp({}).",
                                       epsilon_)
                         : fmt::format("No promise: a word is replaced by its own synonyms only, so an "
                                       "output rules out most inputs; {} of the {} words of the "
                                       "vocabulary have no synonym there and are released as they are.",
                                       synonyms_->lone_words, model_->size())};
  }

  Result<void> show_rows(RowVisitor& visitor) const override {
    if (candidates_ == Candidates::synonyms)
      return fail(Errc::invalid_argument,
                  "with candidates=synonyms words share no outputs, so the loss has no bound; "
                  "candidates=vocabulary can be certified");
    PureRows rows;
    rows.groups.emplace_back(model_->size() + 1ULL);
    std::iota(rows.groups[0].begin(), rows.groups[0].end(), TokenId{0});
    rows.row = [this](TokenId word) {
      const Row row = row_of(word);
      return PureRow{row.words, row.cumulative, rest_weight_, row.total};
    };
    return visitor.visit(rows);
  }

  double distance(TokenId a, TokenId b) const override {
    return candidates_ == Candidates::vocabulary && a != b ? 1 : Mechanism::distance(a, b);
  }

  std::vector<double> row(TokenId word) const override {
    const Row row = row_of(word);
    const auto total = static_cast<double>(row.total);
    const double rest = row.total == row.rated ? 0 : static_cast<double>(rest_weight_) / total;
    std::vector<double> probabilities(model_->size(), rest);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      probabilities[row.words[i]] = static_cast<double>(row.cumulative[i] - before) / total;
      before = row.cumulative[i];
    }
    return probabilities;
  }

  std::vector<double> column(TokenId output) const override {
    std::vector<double> probabilities(model_->size());
    for (TokenId word = 0; word < probabilities.size(); ++word) {
      const Row row = row_of(word);
      const auto found = std::lower_bound(row.words.begin(), row.words.end(), output);
      std::uint64_t weight = row.total == row.rated ? 0 : rest_weight_;
      if (found != row.words.end() && *found == output) {
        const auto i = static_cast<std::size_t>(found - row.words.begin());
        weight = row.cumulative[i] - (i == 0 ? 0 : row.cumulative[i - 1]);
      }
      probabilities[word] = static_cast<double>(weight) / static_cast<double>(row.total);
    }
    return probabilities;
  }

 private:
  struct Row {
    std::span<const TokenId> words;  ///< rated candidates, ascending
    std::span<const std::uint64_t> cumulative;
    std::uint64_t rated;  ///< their weight
    std::uint64_t total;  ///< including the rest of the vocabulary if it is a candidate too
  };

  Row row_of(TokenId word) const {
    const std::size_t begin = synonyms_->begins[word];
    const std::size_t size = synonyms_->begins[word + 1ULL] - begin;
    Row row{std::span(synonyms_->words).subspan(begin, size), std::span(cumulative_).subspan(begin, size), 0,
            0};
    row.rated = size == 0 ? 0 : row.cumulative.back();
    const bool has_rest = candidates_ == Candidates::vocabulary || word == model_->bottom();
    row.total = row.rated + (has_rest ? (model_->size() - size) * rest_weight_ : 0);
    return row;
  }

  /// The word with number `index` among those that are not rated.
  static TokenId rest_word(const Row& row, TokenId index) {
    for (const TokenId rated : row.words) {
      if (rated > index) break;
      ++index;
    }
    return index;
  }

  std::shared_ptr<const SynonymRows> synonyms_;
  const Model* model_;
  double epsilon_;
  Candidates candidates_;
  std::uint64_t rest_weight_;  ///< for ρ = 0
  std::vector<std::uint64_t> cumulative_;
};

Result<text::WordNet> open_wordnet(const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(folder) / "index.noun", ignored))
    return fail_parameter("parameters.wordnet", folder,
                          fmt::format("'{}' has no file index.noun; install the Debian package wordnet-base, "
                                      "or give the folder of a WordNet data base",
                                      folder),
                          Errc::not_found);
  return text::WordNet::open(folder);
}

}  // namespace

MechanismInfo syntf_info() {
  return {.name = "syntf",
          .summary = "replaces each word by a WordNet synonym",
          .metric = "none",
          .guarantee = "none; analytic pure epsilon with candidates=vocabulary",
          .speed = "very fast: ten million words per second",
          .use_when = "you need the baseline of the published comparisons",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"candidates", "synonyms",
                          "synonyms: the word itself and its synonyms, which promises nothing; vocabulary: "
                          "every word"},
                         {"rating", "similarity",
                          "similarity: the share of senses that two words have in common; paper: the "
                          "synonym's tf-idf in public text"},
                         {"wordnet", std::string(text::WordNet::kDefaultFolder),
                          "folder of the WordNet data base (Debian package wordnet-base)"}}};
}

Result<MechanismFamily> prepare_syntf(const MechanismRequest& request) {
  const Model& model = *request.model;
  SOTTO_ASSIGN(
      const std::size_t candidates,
      read_choice("parameters.candidates", request.parameters.at("candidates"), {"synonyms", "vocabulary"}));
  SOTTO_ASSIGN(const std::size_t rating,
               read_choice("parameters.rating", request.parameters.at("rating"), {"similarity", "paper"}));
  if (rating == 1 && model.counts().empty())
    return fail_parameter(
        "parameters.rating", "paper",
        fmt::format("'paper' is not allowed, because model '{}' has no counts; give similarity",
                    model.name()));
  SOTTO_ASSIGN(const text::WordNet net, open_wordnet(request.parameters.at("wordnet")));
  SOTTO_ASSIGN(RatedSynonyms synonyms, RatedSynonyms::find(model, net));
  if (rating == 1) synonyms.rate(tf_idf_ratings(model.counts()));
  auto rows = std::make_shared<const SynonymRows>(request.model, synonyms, net.digest());
  const std::uint64_t bytes = rows->words.size() * sizeof(std::uint64_t);
  return MechanismFamily{[rows = std::move(rows), candidates](double epsilon) {
                           return std::make_unique<Syntf>(rows, epsilon, static_cast<Candidates>(candidates));
                         },
                         bytes};
}

}  // namespace sotto::mechanism
