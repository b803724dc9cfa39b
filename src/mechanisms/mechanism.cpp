#include <sotto/mechanism.hpp>

namespace sotto {

void Mechanism::privatize(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits) const {
  const std::unique_ptr<PendingTokens> pending = make_pending();
  pending->add(in, bits);
  pending->resolve(out);
}

}  // namespace sotto
