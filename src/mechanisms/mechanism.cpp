#include <limits>

#include <sotto/mechanism.hpp>

namespace sotto {

double Mechanism::distance(TokenId a, TokenId b) const {
  return a == b ? 0 : std::numeric_limits<double>::infinity();
}

bool Mechanism::covers(TokenId) const {
  return true;
}

void Mechanism::privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
  const std::unique_ptr<PendingTokens> pending = make_pending();
  pending->add(in, bits);
  pending->resolve(out);
}

}  // namespace sotto
