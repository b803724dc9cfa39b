#include "audit/falsify/claim.hpp"

#include <memory>

#include <fmt/format.h>

#include <sotto/black_box.hpp>

#include "base/checked_value.hpp"
#include "mechanisms/bottom_vector.hpp"

namespace sotto::audit {
namespace {

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

Result<Claim> own_claim(const Mechanism& mechanism) {
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
  claim.distance = [&mechanism](TokenId a, TokenId b) { return mechanism.distance(a, b); };
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
  claim.own = false;
  claim.epsilon = epsilon;
  claim.covers = [](TokenId) { return true; };
  return claim;
}

}  // namespace sotto::audit
