#include <sotto/attacker_success.hpp>
#include <sotto/receipt.hpp>

namespace sotto {

std::optional<AttackerSuccess> attacker_success(const Receipt& receipt) {
  if (receipt.kind != MechanismKind::word_by_word || receipt.budget || receipt.collocations || receipt.seeded)
    return std::nullopt;
  return attacker_success(receipt.mechanism, receipt.epsilon, receipt.parameters, receipt.model_digest);
}

}  // namespace sotto
