#include <algorithm>
#include <cmath>
#include <numeric>

#include <sotto/explain.hpp>

namespace sotto {
namespace {

constexpr double kDraws = 100;
constexpr double kMass = 0.95;

double expected_distinct(const std::vector<double>& row) {
  double sum = 0;
  for (const double p : row) sum += -std::expm1(kDraws * std::log1p(-std::min(p, 1.0)));
  return sum;
}

}  // namespace

Result<Explanation> explain(std::string_view word, const ExplainOptions& options) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(options.mechanism));
  SOTTO_ASSIGN(const auto file, find_model(options.model.empty() ? info->default_model : options.model));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  SOTTO_ASSIGN(const auto mechanism,
               make_mechanism(options.mechanism, model, options.epsilon, options.parameters));
  const TokenId id = model->find(word);
  const std::vector<double> row = mechanism->row(id);
  std::vector<TokenId> order(row.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return row[a] > row[b]; });

  Explanation explanation;
  explanation.word = word;
  explanation.in_vocabulary = id != model->bottom();
  explanation.model = model->name();
  for (std::size_t i = 0; i < std::min(options.top, order.size()); ++i)
    explanation.top.push_back({std::string(model->word(order[i])), row[order[i]]});
  explanation.stays = explanation.in_vocabulary ? row[id] : 0;
  explanation.distinct_in_100 = expected_distinct(row);
  double mass = 0;
  for (const TokenId output : order) {
    if (mass >= kMass) break;
    mass += row[output];
    ++explanation.words_for_95_percent;
  }
  explanation.guarantee = mechanism->guarantee();
  return explanation;
}

}  // namespace sotto
