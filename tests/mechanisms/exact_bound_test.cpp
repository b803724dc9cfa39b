// The promise ε·d to the letter: on small vocabularies, for every pair of inputs (including ⊥, and ⊙, which
// enters as a uniformly drawn word) and every output, from the integers that are sampled. A probability is
// the number of the 2^128 draws that give the output, an exact fraction; exp(ε·d) is rounded down. No
// tolerance anywhere.
#include <functional>
#include <random>
#include <vector>

#include <gmpxx.h>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/lists/list_choice.hpp"
#include "mechanisms/selection/selection.hpp"
#include "mechanisms/selection_fixture.hpp"
#include "random/mpfr_real.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::mechanism;
using namespace sotto::testing;

using ExactRow = std::vector<mpq_class>;  // by output

mpz_class whole(std::uint64_t value) {
  return mpz_class(static_cast<unsigned long>(value));
}

/// Assigns positions to the outputs consecutively.
class Positions {
 public:
  explicit Positions(std::uint64_t total) : total_(whole(total)) {}

  /// P(⌊U·total/2^128⌋ is one of the next `weight` positions), U uniform on the integers below 2^128.
  mpq_class next(std::uint64_t weight) {
    const mpz_class before = first_draw(position_);
    position_ += whole(weight);
    mpq_class probability(first_draw(position_) - before, kDraws);
    probability.canonicalize();
    return probability;
  }
  bool complete() const { return position_ == total_; }

 private:
  mpz_class first_draw(const mpz_class& position) const { return (position * kDraws + total_ - 1) / total_; }

  static inline const mpz_class kDraws = mpz_class(1) << 128;
  mpz_class total_;
  mpz_class position_ = 0;
};

ExactRow row_of_weights(const std::vector<std::uint64_t>& weights) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  Positions positions(total);
  ExactRow row;
  for (const std::uint64_t weight : weights) row.push_back(positions.next(weight));
  return row;
}

/// The row of ⊙: the mean of the rows of all words, which come first.
ExactRow mean_row(const std::vector<ExactRow>& rows, std::size_t words) {
  ExactRow mean(words);
  for (std::size_t x = 0; x < words; ++x)
    for (std::size_t y = 0; y < words; ++y) mean[y] += rows[x][y] / static_cast<unsigned long>(words);
  return mean;
}

/// The rows of all words, of ⊥, and of ⊙.
class ExactRows final : public RowVisitor {
 public:
  ExactRows(const Mechanism& mechanism, std::size_t words) : words_(words) {
    const auto shown = show_rows(mechanism, *this);
    EXPECT_TRUE(shown) << (shown ? "" : shown.error().message);
    if (shown) rows_.push_back(mean_row(rows_, words_));
  }

  const std::vector<ExactRow>& rows() const { return rows_; }

 private:
  Result<void> visit(const MetricRows& shown) override {
    for (TokenId x = 0; x <= words_; ++x) rows_.push_back(row_of_weights(shown.selection.weights(x)));
    return {};
  }

  Result<void> visit(const PlaceRows& shown) override {
    for (TokenId x = 0; x <= words_; ++x) {
      ExactRow row(words_);
      for (std::uint32_t list = 0; list < shown.lists.size(); ++list) {
        const std::vector<mpq_class> places = place_law(shown.weights, shown.lists.place(list, x));
        for (std::uint32_t j = 0; j < words_; ++j)
          row[shown.lists.word_at(list, j)] += places[j] / shown.lists.size();
      }
      rows_.push_back(std::move(row));
    }
    return {};
  }

  // From the place backwards, then forwards, then the far ones in order.
  std::vector<mpq_class> place_law(const IndexWeights& weights, std::uint32_t place) const {
    const std::size_t reach = weights.near.size();
    const auto distance = [&](std::size_t j) { return j > place ? j - place : place - j; };
    const auto weight = [&](std::size_t j) {
      return distance(j) < reach ? weights.near[distance(j)] : weights.far;
    };
    std::uint64_t total = 0;
    for (std::size_t j = 0; j < words_; ++j) total += weight(j);
    Positions positions(total);
    std::vector<mpq_class> law(words_);
    for (std::size_t j = place + 1; j-- > 0;)
      if (distance(j) < reach) law[j] = positions.next(weight(j));
    for (std::size_t j = place + 1; j < words_; ++j)
      if (distance(j) < reach) law[j] = positions.next(weight(j));
    for (std::size_t j = 0; j < words_; ++j)
      if (distance(j) >= reach) law[j] = positions.next(weight(j));
    EXPECT_TRUE(positions.complete());
    return law;
  }

  Result<void> visit(const GeometricRows&) override {
    return fail(Errc::invalid_argument, "not sampled from a table");
  }

  Result<void> visit(const PureRows& shown) override {
    for (TokenId x = 0; x <= words_; ++x) {
      const PureRow pure = shown.row(x);
      Positions positions(pure.total);
      ExactRow row(words_);
      std::vector<bool> listed(words_);
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < pure.words.size(); ++i) {
        row[pure.words[i]] = positions.next(pure.cumulative[i] - before);
        listed[pure.words[i]] = true;
        before = pure.cumulative[i];
      }
      for (TokenId y = 0; y < words_; ++y)
        if (!listed[y] && pure.rest > 0) row[y] = positions.next(pure.rest);
      EXPECT_TRUE(positions.complete());
      rows_.push_back(std::move(row));
    }
    return {};
  }

  std::size_t words_;
  std::vector<ExactRow> rows_;
};

/// What the promise allows for a pair of inputs: exp(ε·min(scale·√squared, limit)) / divisor, rounded down.
struct Allowed {
  double scale = 1;
  std::int64_t squared = 1;
  double limit = 1e300;
  double divisor = 1;
};

void set_allowed(random::MpfrReal& out, double epsilon, const Allowed& allowed) {
  mpfr_set_sj(out, allowed.squared, MPFR_RNDN);
  mpfr_sqrt(out, out, MPFR_RNDD);
  mpfr_mul_d(out, out, allowed.scale, MPFR_RNDD);
  if (mpfr_cmp_d(out, allowed.limit) > 0) mpfr_set_d(out, allowed.limit, MPFR_RNDN);
  mpfr_mul_d(out, out, epsilon, MPFR_RNDD);
  mpfr_exp(out, out, MPFR_RNDD);
  mpfr_div_d(out, out, allowed.divisor, MPFR_RNDD);
}

/// How many ordered pairs exceed what is allowed, plus outputs that only the first of a pair can give.
std::size_t excesses(const std::vector<ExactRow>& rows, double epsilon,
                     const std::function<Allowed(TokenId, TokenId)>& allowed) {
  std::size_t found = 0;
  random::MpfrReal bound(400);
  for (TokenId x = 0; x < rows.size(); ++x) {
    for (TokenId other = 0; other < rows.size(); ++other) {
      if (x == other) continue;
      mpq_class worst = 1;
      for (std::size_t y = 0; y < rows[x].size(); ++y) {
        if (rows[x][y] == 0) continue;
        if (rows[other][y] == 0) {
          ++found;
          continue;
        }
        worst = std::max(worst, mpq_class(rows[x][y] / rows[other][y]));
      }
      set_allowed(bound, epsilon, allowed(x, other));
      if (mpfr_cmp_q(bound, worst.get_mpq_t()) < 0) ++found;
    }
  }
  return found;
}

/// A distance of words and ⊥, extended to ⊙: that of the farthest word.
template <class Distance>
auto with_uniform(std::size_t words, TokenId a, TokenId b, const Distance& distance) {
  if (a > words) std::swap(a, b);
  if (b <= words) return distance(a, b);
  auto farthest = distance(a, 0);
  for (TokenId z = 1; z < words; ++z) farthest = std::max(farthest, distance(a, z));
  return farthest;
}

std::int64_t squared_distance_of_inputs(const Model& model, TokenId a, TokenId b) {
  const std::vector<std::int16_t> bottom = bottom_vector(model);
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < model.dimension(); ++c) {
    const auto at = [&](TokenId id) -> std::int64_t {
      return id == model.bottom() ? bottom[c] : model.vectors16()[id * model.dimension() + c];
    };
    sum += (at(a) - at(b)) * (at(a) - at(b));
  }
  return sum;
}

/// ⊙ allowed.
std::int64_t squared_distance(const Model& model, TokenId a, TokenId b) {
  return with_uniform(model.size(), a, b,
                      [&](TokenId x, TokenId y) { return squared_distance_of_inputs(model, x, y); });
}

/// Some words are one grid unit apart, some equal, and some far from all others, so that the weights of far
/// outputs differ by one where the promise is smallest.
VectorModel grid_parts(std::size_t words, double scale, std::uint64_t seed) {
  VectorModel parts;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> far(-2000, 2000);
  parts.words = letter_words(words);
  parts.scale = scale;
  for (std::size_t i = 0; i < words; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int before = i == 0 ? 0 : parts.vectors[(i - 1) * 3 + c];
      const bool near = i % 3 != 0;
      parts.vectors.push_back(near ? before + (c == 1 && i % 3 == 1 ? 1 : 0) : far(random));
    }
    parts.counts.push_back(100 + i * 37 % 11);
  }
  return parts;
}

/// A few frequent words one grid unit apart, all others far away on the same side: from one frequent word to
/// the next every distance changes by a unit, and the promise is nearly used up.
constexpr int kFarAway = 29'000;
VectorModel line_parts(std::size_t words, double scale) {
  VectorModel parts;
  parts.words = letter_words(words);
  parts.scale = scale;
  for (std::size_t i = 0; i < words; ++i) {
    const bool frequent = i < words / 2;
    parts.vectors.insert(parts.vectors.end(), {static_cast<int>(frequent ? i : kFarAway + 7 * i * i), 0});
    parts.counts.push_back(words - i);
  }
  return parts;
}

/// The ε at which the far words' exponents range from 20 to 34, so that their weights are small.
std::vector<double> line_epsilons(double scale) {
  std::vector<double> epsilons;
  for (double exponent = 20; exponent <= 34; exponent += 0.5)
    epsilons.push_back(2 * exponent / (scale * kFarAway));
  return epsilons;
}

const std::vector<double> kEpsilons = {1e-9, 1e-6, 1e-3, 0.1, 1, 6, 50, 1000, 1e6};

class ExactBound : public SelectionTest {
 protected:
  std::vector<std::shared_ptr<const Model>> models() {
    std::vector<std::shared_ptr<const Model>> all = {write(tiny_model_parts()), write(near_pair_parts())};
    std::uint64_t seed = 1;
    for (const std::size_t words : {5U, 8U, 13U})
      for (const double scale : {1e-4, 0.0036, 0.3}) all.push_back(write(grid_parts(words, scale, seed++)));
    return all;
  }

  /// Models, and the ε to try on them.
  using Worlds = std::vector<std::pair<std::shared_ptr<const Model>, std::vector<double>>>;
  Worlds worlds() {
    Worlds all;
    for (const auto& model : models()) all.emplace_back(model, kEpsilons);
    for (const std::size_t words : {5U, 13U})
      for (const double scale : {1e-4, 0.0036, 0.3})
        all.emplace_back(write(line_parts(words, scale)), line_epsilons(scale));
    return all;
  }

  void expect_metric_bound(const std::string& mechanism, const ParameterValues& parameters, double limit) {
    std::size_t pairs = 0;
    for (const auto& [model, epsilons] : worlds()) {
      for (const double epsilon : epsilons) {
        const auto made = make(mechanism, model, epsilon, parameters);
        const ExactRows rows(*made, model->size());
        const Model& of = *model;
        const auto allowed = [&](TokenId x, TokenId y) {
          return Allowed{of.scale(), squared_distance(of, x, y), limit};
        };
        EXPECT_EQ(excesses(rows.rows(), epsilon, allowed), 0U)
            << mechanism << ' ' << epsilon << ' ' << model->size() << " words, scale " << model->scale();
        pairs += (model->size() + 1) * (model->size() + 2);
      }
    }
    std::cout << "    " << pairs << " ordered pairs\n";
  }
};

TEST_F(ExactBound, SanText) {
  expect_metric_bound("santext", {}, 1e300);
}

TEST_F(ExactBound, SanTextByPermuteAndFlip) {
  expect_metric_bound("santext", {{"selection", "permute-and-flip"}}, 1e300);
}

TEST_F(ExactBound, TemWithAFixedLimit) {
  for (const std::string gamma : {"0", "0.00005", "0.5", "1000"})
    expect_metric_bound("tem", {{"gamma", gamma}}, std::stod(gamma));
}

TEST_F(ExactBound, TemByPermuteAndFlip) {
  for (const std::string gamma : {"0.00005", "0.5"})
    expect_metric_bound("tem", {{"gamma", gamma}, {"selection", "permute-and-flip"}}, std::stod(gamma));
}

TEST_F(ExactBound, TemWithALimitThatFollowsEpsilon) {
  for (const auto& model : models()) {
    for (const double epsilon : kEpsilons) {
      const auto made = make("tem", model, epsilon);
      const ExactRows rows(*made, model->size());
      const std::string metric = made->guarantee().unit.metric;
      const double limit = std::stod(metric.substr(metric.find("at most ") + 8));
      const auto allowed = [&](TokenId x, TokenId y) {
        return Allowed{model->scale(), squared_distance(*model, x, y), limit};
      };
      EXPECT_EQ(excesses(rows.rows(), epsilon, allowed), 0U) << epsilon << ' ' << model->size();
    }
  }
}

TEST_F(ExactBound, ListsOfWords) {
  for (const std::size_t words : {1U, 2U, 5U, 12U, 13U}) {
    const std::vector<std::size_t> steps =
        words == 12 ? std::vector<std::size_t>{1, 5, 7, 11} : std::vector<std::size_t>{1, 1, 1, 1};
    const auto model =
        write_list_set(folder_.path() / fmt::format("lists{}.safetensors", words), letter_words(words),
                       {{"a", stepping_order(words, steps[0])},
                        {"a", stepping_order(words, steps[1])},
                        {"b", stepping_order(words, steps[2])},
                        {"b", stepping_order(words, steps[3])}});
    for (const std::string lists : {"L0", "L1", "L2"}) {
      for (const std::string gamma : {"auto", "0", "0.001", "0.5", "1", "2.5", "4", "100"}) {
        for (const double epsilon : kEpsilons) {
          const auto made = make("diffractor-tem", model, epsilon, {{"lists", lists}, {"gamma", gamma}});
          const ExactRows rows(*made, words);
          const std::string metric = made->guarantee().unit.metric;
          const double limit = std::stod(metric.substr(metric.find("at most ") + 8));
          const auto allowed = [&](TokenId x, TokenId y) {
            const auto distance = [&](TokenId a, TokenId b) { return made->distance(a, b); };
            return Allowed{with_uniform(words, x, y, distance), 1, limit};  // integers, or the limit
          };
          EXPECT_EQ(excesses(rows.rows(), epsilon, allowed), 0U)
              << words << ' ' << lists << ' ' << gamma << ' ' << epsilon;
        }
      }
    }
  }
}

// Within one group of words and ⊥.
TEST_F(ExactBound, GroupsOfCustext) {
  for (const auto& model : models()) {
    for (const double epsilon : kEpsilons) {
      for (const std::string k : {"2", "3", "5", "20"}) {
        const auto made = make("custext", model, epsilon, {{"k", k}});
        const ExactRows rows(*made, model->size());
        std::vector<ExactRow> group;
        for (TokenId first = 0; first <= model->size(); ++first) {
          group.clear();
          for (TokenId x = 0; x <= model->size(); ++x)
            if (x == first || made->distance(first, x) == 1) group.push_back(rows.rows()[x]);
          EXPECT_EQ(excesses(group, epsilon, [](TokenId, TokenId) { return Allowed{}; }), 0U)
              << epsilon << ' ' << k;
        }
      }
    }
  }
}

TEST_F(ExactBound, SyntfOverTheVocabulary) {
  write_tiny_wordnet(folder_.path(),
                     {{'n', {"dog", "cat"}}, {'n', {"tea", "soup"}}, {'n', {"dog", "horse"}}});
  const auto model = write(tiny_model_parts());
  for (const std::string rating : {"similarity", "paper"}) {
    for (const double epsilon : kEpsilons) {
      const auto made =
          make("syntf", model, epsilon,
               {{"candidates", "vocabulary"}, {"rating", rating}, {"wordnet", folder_.path().string()}});
      const ExactRows rows(*made, model->size());
      EXPECT_EQ(excesses(rows.rows(), epsilon, [](TokenId, TokenId) { return Allowed{}; }), 0U)
          << rating << ' ' << epsilon;
    }
  }
}

/// Rows of santext-plus over all words: the selection among the sensitive ones, and a coin of 53 bits.
std::vector<ExactRow> santext_plus_rows(const Mechanism& mechanism, const Model& model, double p) {
  std::vector<ExactRow> rows;
  const auto& selection = dynamic_cast<const SelectionMechanism&>(mechanism).selection();
  for (TokenId x = 0; x <= model.size(); ++x) {
    const bool sensitive = x == model.bottom() || mechanism.covers(x);
    const mpq_class replaced = sensitive ? mpq_class(1) : mpq_class(p);  // a double is a fraction
    const ExactRow selected = row_of_weights(selection.weights(x));
    ExactRow row(model.size());
    std::size_t candidate = 0;
    for (TokenId y = 0; y < model.size(); ++y)
      if (mechanism.covers(y)) row[y] = selected[candidate++] * replaced;
    if (!sensitive) row[x] = 1 - replaced;
    rows.push_back(std::move(row));
  }
  rows.push_back(mean_row(rows, model.size()));
  return rows;
}

// For sensitive outputs: ε·d between two sensitive inputs and between two frequent ones, and ε·d + ln(1/p) if
// exactly one is sensitive or one is ⊙, which may be either. Nothing less would do, and a frequent output
// reveals its input.
TEST_F(ExactBound, SanTextPlusOwesTheLogarithmOnlyBetweenSensitiveAndFrequent) {
  constexpr double kP = 0.25;
  std::size_t needed = 0;
  for (const auto& [model, epsilons] : worlds()) {
    for (const double epsilon : epsilons) {
      const auto made = make("santext-plus", model, epsilon, {{"p", "0.25"}});
      const std::vector<ExactRow> rows = santext_plus_rows(*made, *model, kP);
      const Model& of = *model;
      const auto is_sensitive = [&](TokenId x) { return x >= of.bottom() || made->covers(x); };
      std::vector<ExactRow> sensitive_outputs = rows;
      for (ExactRow& row : sensitive_outputs)
        for (TokenId y = 0; y < model->size(); ++y)
          if (!made->covers(y)) row[y] = 0;
      const auto bound = [&](double mixed) {
        return [&of, &is_sensitive, mixed](TokenId x, TokenId y) {
          return Allowed{of.scale(), squared_distance(of, x, y), 1e300,
                         std::max(x, y) > of.size() || is_sensitive(x) != is_sensitive(y) ? mixed : 1};
        };
      };
      EXPECT_EQ(excesses(sensitive_outputs, epsilon, bound(kP)), 0U) << epsilon << ' ' << model->size();
      if (excesses(sensitive_outputs, epsilon, bound(kP * (1 + 1e-3))) > 0) ++needed;
      // distance() and the additive term, which is stated for every pair, express that promise.
      EXPECT_GE(made->guarantee().additive, std::log(1 / kP));
      EXPECT_NEAR(made->guarantee().additive, std::log(1 / kP), 1e-12);
      for (TokenId x = 0; x <= model->size(); ++x)
        for (TokenId y = 0; y <= model->size(); ++y) {
          const auto d = static_cast<double>(distance(*model, x, y));
          EXPECT_NEAR(made->distance(x, y), d, 1e-12 * (1 + d));
        }
      // A frequent output has one input.
      for (TokenId y = 0; y < model->size(); ++y)
        for (TokenId x = 0; x <= model->size(); ++x)
          EXPECT_TRUE(made->covers(y) || (rows[x][y] != 0) == (x == y)) << x << ' ' << y;
    }
  }
  EXPECT_GT(needed, 0U) << "the term is not only an upper bound";
}

}  // namespace
}  // namespace sotto
