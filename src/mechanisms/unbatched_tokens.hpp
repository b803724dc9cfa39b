// For mechanisms that gain nothing from batches: each token is answered as soon as it is drawn.
#pragma once

#include <algorithm>
#include <vector>

#include <sotto/mechanism.hpp>

namespace sotto::mechanism {

/// `MechanismType` must have `void draw(std::span<const TokenId> in, std::span<TokenId> out, BitSource& bits)
/// const`.
template <class MechanismType>
class UnbatchedTokens final : public PendingTokens {
 public:
  explicit UnbatchedTokens(const MechanismType& mechanism) : mechanism_(mechanism) {}

  void add(std::span<const TokenId> in, BitSource& bits) override {
    const std::size_t begin = outputs_.size();
    outputs_.resize(begin + in.size());
    mechanism_.draw(in, std::span(outputs_).subspan(begin), bits);
  }

  void resolve(std::span<TokenId> out) override {
    std::copy(outputs_.begin(), outputs_.end(), out.begin());
    outputs_.clear();
  }

 private:
  const MechanismType& mechanism_;
  std::vector<TokenId> outputs_;
};

}  // namespace sotto::mechanism
