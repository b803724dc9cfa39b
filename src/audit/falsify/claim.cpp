#include "audit/falsify/claim.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include <sotto/black_box.hpp>

#include "base/checked_value.hpp"
#include "mechanisms/bottom_vector.hpp"

namespace sotto::audit {
namespace {

using Distance = std::function<double(TokenId, TokenId)>;

/// Adds ⊙ to a distance of words and ⊥: 0 from itself, and from an input the largest distance of that input
/// from any word, because its law is the mean of the words' laws. Remembers these, as each is a pass over all
/// words.
Distance with_uniform(Distance distance, std::uint32_t words) {
  struct Known {
    std::mutex mutex;
    std::map<TokenId, double> farthest;
  };
  return [distance = std::move(distance), words, known = std::make_shared<Known>()](TokenId a, TokenId b) {
    const TokenId uniform = words + 1;
    if (a == uniform) std::swap(a, b);
    if (b != uniform) return distance(a, b);
    if (a == uniform) return 0.0;
    const std::lock_guard lock(known->mutex);
    const auto [entry, is_new] = known->farthest.try_emplace(a, 0);
    for (TokenId word = 0; is_new && word < words; ++word)
      entry->second = std::max(entry->second, distance(a, word));
    return entry->second;
  };
}

Result<Claim> euclidean_claim(const Model& model) {
  if (model.dimension() == 0)
    return fail_parameter(
        "metric", "euclidean",
        fmt::format("'euclidean' is not allowed, because '{}' has no vectors; give index or pure",
                    model.name()));
  Claim claim;
  claim.metric = "Euclidean distance of the vectors";
  claim.distance = [&model, bottom = mechanism::bottom_vector(model)](TokenId a, TokenId b) {
    return mechanism::euclidean_distance(model, bottom, a, b);
  };
  return claim;
}

Result<Claim> index_claim(const Model& model) {
  if (model.lists().empty())
    return fail_parameter(
        "metric", "index",
        fmt::format("'index' is not allowed, because '{}' has no word lists; give euclidean or pure",
                    model.name()));
  const std::size_t inputs = model.size() + 1ULL;
  const auto places = std::make_shared<std::vector<double>>(model.lists().size() * inputs, model.size() / 2);
  for (std::size_t l = 0; l < model.lists().size(); ++l)
    for (std::uint32_t i = 0; i < model.size(); ++i) (*places)[l * inputs + model.lists()[l].order[i]] = i;
  Claim claim;
  claim.metric = "list index distance, the largest over all lists of the model";
  claim.distance = [places, inputs](TokenId a, TokenId b) {
    double largest = 0;
    for (std::size_t list = 0; list < places->size(); list += inputs)
      largest = std::max(largest, std::abs((*places)[list + a] - (*places)[list + b]));
    return largest;
  };
  return claim;
}

}  // namespace

Result<Claim> own_claim(const Mechanism& mechanism, std::uint32_t words) {
  const Guarantee guarantee = mechanism.guarantee();
  if (guarantee.kind == GuaranteeKind::none)
    return fail_parameter("metric", "",
                          "missing; the mechanism promises nothing, so give the metric of the claim to audit "
                          "it against: euclidean, index or pure");
  Claim claim;
  claim.metric = guarantee.unit.is_pure() ? "pure" : guarantee.unit.metric;
  claim.epsilon = guarantee.epsilon;
  claim.additive = guarantee.additive;
  claim.leaves_outputs_out = guarantee.scope == GuaranteeScope::sensitive_outputs;
  claim.distance =
      with_uniform([&mechanism](TokenId a, TokenId b) { return mechanism.distance(a, b); }, words);
  claim.covers = [&mechanism](TokenId output) { return mechanism.covers(output); };
  return claim;
}

Result<Claim> named_claim(std::string_view metric, const Model& model, double epsilon) {
  SOTTO_ASSIGN(const std::size_t choice, read_choice("metric", metric, kClaimMetricNames));
  Claim claim;
  if (choice == 0) {
    SOTTO_ASSIGN(claim, euclidean_claim(model));
  } else if (choice == 1) {
    SOTTO_ASSIGN(claim, index_claim(model));
  } else {
    claim.metric = "pure";
    claim.distance = [](TokenId a, TokenId b) { return a == b ? 0.0 : 1.0; };
  }
  claim.distance = with_uniform(std::move(claim.distance), model.size());
  claim.own = false;
  claim.epsilon = epsilon;
  claim.covers = [](TokenId) { return true; };
  return claim;
}

}  // namespace sotto::audit
