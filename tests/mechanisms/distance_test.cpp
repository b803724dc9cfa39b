// What each mechanism promises for a pair of inputs, against the definitions and against its own rows.
#include <limits>

#include "mechanisms/noise/noise_shape.hpp"
#include "mechanisms/noise_fixture.hpp"
#include "support/list_set.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::mechanism;

class DistanceTest : public NoiseTest {
 protected:
  std::shared_ptr<const Model> tiny_ = write_tiny_model(folder_.path() / "tiny.safetensors");
  std::vector<Point> points_ = points_of(tiny_model_parts());
  TokenId inputs_ = tiny_->size() + 1;

  void expect_distances(const Mechanism& mechanism,
                        const std::function<double(TokenId, TokenId)>& expected) const {
    for (TokenId a = 0; a < inputs_; ++a)
      for (TokenId b = 0; b < inputs_; ++b) {
        const double found = mechanism.distance(a, b);
        if (std::isinf(expected(a, b)))
          EXPECT_EQ(found, expected(a, b)) << a << ' ' << b;
        else
          EXPECT_NEAR(found, expected(a, b), 1e-6) << a << ' ' << b;
      }
  }

  /// Every output's loss is within ε times the distance, and comes near it for some pair: otherwise a
  /// distance far too large would pass.
  static void expect_rows_keep_the_promise(const Mechanism& mechanism, TokenId inputs, double epsilon) {
    double tightest = 0;
    for (TokenId a = 0; a < inputs; ++a)
      for (TokenId b = 0; b < inputs; ++b) {
        const std::vector<double> first = mechanism.row(a);
        const std::vector<double> second = mechanism.row(b);
        const double extra = a == b ? 0 : mechanism.guarantee().additive;
        const double allowed = epsilon * mechanism.distance(a, b) + extra;
        for (TokenId y = 0; y < first.size(); ++y) {
          if (!mechanism.covers(y) || std::isinf(allowed) || first[y] == 0) continue;
          const double loss = std::log(first[y] / second[y]);
          EXPECT_LE(loss, allowed + 1e-3) << a << ' ' << b << ' ' << y;
          if (allowed > 0) tightest = std::max(tightest, loss / allowed);
        }
      }
    EXPECT_GT(tightest, 0.4);
  }

  double euclidean(TokenId a, TokenId b) const { return distance(points_[a], points_[b]); }
};

TEST_F(DistanceTest, Euclidean) {
  const auto expected = [this](TokenId a, TokenId b) { return euclidean(a, b); };
  for (const char* name : {"santext", "cmp", "vickrey", "vickrey-k"})
    expect_distances(*make_mechanism(name, tiny_, 2, {}).value(), expected);
  expect_rows_keep_the_promise(*make_mechanism("santext", tiny_, 2, {}).value(), inputs_, 2);
}

TEST_F(DistanceTest, Truncated) {
  const auto tem = make_mechanism("tem", tiny_, 2, {{"gamma", "0.5"}}).value();
  expect_distances(*tem, [this](TokenId a, TokenId b) { return std::min(0.5, euclidean(a, b)); });
  expect_rows_keep_the_promise(*tem, inputs_, 2);
}

TEST_F(DistanceTest, SensitiveOutputs) {
  const auto plus = make_mechanism("santext-plus", tiny_, 2, {{"p", "0.25"}}).value();
  expect_distances(*plus, [this](TokenId a, TokenId b) { return euclidean(a, b); });
  EXPECT_NEAR(plus->guarantee().additive, std::log(4), 1e-12);
  for (TokenId word = 0; word < 12; ++word) EXPECT_EQ(plus->covers(word), word >= 6) << word;
  expect_rows_keep_the_promise(*plus, inputs_, 2);
}

// With λ = 0 it is the Euclidean distance; otherwise |A^-½ x|, against a solution by elimination.
TEST_F(DistanceTest, Mahalanobis) {
  expect_distances(*make_mechanism("mahalanobis", tiny_, 2, {{"lambda", "0"}}).value(),
                   [this](TokenId a, TokenId b) { return euclidean(a, b); });
  const std::vector<double> covariance = scaled_covariance(*tiny_, 1).value();
  const auto expected = [&](TokenId a, TokenId b) {
    double rows[4][5];
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) rows[i][j] = 0.6 * covariance[4 * i + j] + (i == j ? 0.4 : 0);
      rows[i][4] = points_[a][i] - points_[b][i];
    }
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) {
        if (k == i) continue;
        const double factor = rows[k][i] / rows[i][i];
        for (std::size_t j = i; j < 5; ++j) rows[k][j] -= factor * rows[i][j];
      }
    double square = 0;
    for (std::size_t i = 0; i < 4; ++i) square += (points_[a][i] - points_[b][i]) * rows[i][4] / rows[i][i];
    return std::sqrt(square);
  };
  expect_distances(*make_mechanism("mahalanobis", tiny_, 2, {{"lambda", "0.6"}}).value(), expected);
}

TEST_F(DistanceTest, Groups) {
  const auto custext = make_mechanism("custext", tiny_, 2, {{"k", "3"}}).value();
  std::size_t together = 0;
  for (TokenId a = 0; a < inputs_; ++a)
    for (TokenId b = 0; b < inputs_; ++b) {
      const bool same = custext->row(a)[b % 12] > 0 && b < 12;
      if (a == b) {
        EXPECT_EQ(custext->distance(a, b), 0);
      } else if (b < 12) {
        EXPECT_EQ(custext->distance(a, b), same ? 1 : std::numeric_limits<double>::infinity());
        EXPECT_EQ(custext->distance(b, a), custext->distance(a, b));
        together += same ? 1U : 0U;
      }
    }
  EXPECT_EQ(together, 12U * 2 + 3);  // two others for each word, and ⊥ with a group
  expect_rows_keep_the_promise(*custext, inputs_, 2);
}

TEST_F(DistanceTest, Lists) {
  const std::vector<std::vector<TokenId>> orders = {stepping_order(13, 1), stepping_order(13, 5)};
  const auto model = write_list_set(folder_.path() / "lists.safetensors", letter_words(13),
                                    {{"a", orders[0]}, {"b", orders[1]}});
  const auto index = [&](TokenId a, TokenId b) {
    double largest = 0;
    for (const auto& order : orders) {
      const auto place = [&](TokenId word) {
        const auto found = std::find(order.begin(), order.end(), word) - order.begin();
        return found == 13 ? 6.0 : static_cast<double>(found);
      };
      largest = std::max(largest, std::abs(place(a) - place(b)));
    }
    return largest;
  };
  const auto geometric = make_mechanism("diffractor-geometric", model, 0.7, {}).value();
  const auto tem = make_mechanism("diffractor-tem", model, 0.7, {{"gamma", "4"}}).value();
  for (TokenId a = 0; a <= 13; ++a)
    for (TokenId b = 0; b <= 13; ++b) {
      EXPECT_EQ(geometric->distance(a, b), index(a, b)) << a << ' ' << b;
      EXPECT_EQ(tem->distance(a, b), std::min(4.0, index(a, b))) << a << ' ' << b;
    }
  expect_rows_keep_the_promise(*geometric, 14, 0.7);
  expect_rows_keep_the_promise(*tem, 14, 0.7);
}

TEST_F(DistanceTest, PureAndNothing) {
  const auto folder = folder_.path() / "wordnet";
  std::filesystem::create_directories(folder);
  write_tiny_wordnet(folder, {{'n', {"pizza", "pasta"}}});
  const auto pure = [](TokenId a, TokenId b) { return a == b ? 0.0 : 1.0; };
  const auto nothing = [](TokenId a, TokenId b) {
    return a == b ? 0.0 : std::numeric_limits<double>::infinity();
  };
  const auto syntf = [&](const char* candidates) {
    return make_mechanism("syntf", tiny_, 2, {{"candidates", candidates}, {"wordnet", folder.string()}})
        .value();
  };
  expect_distances(*syntf("vocabulary"), pure);
  expect_rows_keep_the_promise(*syntf("vocabulary"), inputs_, 2);
  expect_distances(*syntf("synonyms"), nothing);
  expect_distances(*make_mechanism("gumbel", tiny_, 1e4, {}).value(), nothing);
  expect_distances(*make_mechanism("vickrey", tiny_, 2, {{"exclude_input", "true"}}).value(), nothing);
}

}  // namespace
}  // namespace sotto::testing
