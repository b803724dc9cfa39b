// The claim under audit: a loss of at most ε·d between two inputs.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::audit {

/// A string fed into the black box.
struct AuditInput {
  std::string text;
  TokenId id;            ///< as in AuditVocabulary
  bool outside = false;  ///< not in the vocabulary, whatever it is mapped to
};

/// Refers to the model and the mechanism it was made from, which must outlive it. Safe to share between
/// threads.
struct Claim {
  std::string metric;  ///< in words
  bool own = true;     ///< the mechanism's, not given from outside
  double epsilon = 0;
  double additive = 0;  ///< in addition to ε·d for two different inputs
  /// Between words, ⊥ and ⊙ (ids as in AuditVocabulary); infinite: nothing is claimed for the pair.
  std::function<double(TokenId, TokenId)> distance;
  std::function<bool(TokenId)> covers;  ///< which outputs it covers
  bool leaves_outputs_out = false;      ///< covers() is false for some
  bool strings_differ = false;          ///< two strings outside the vocabulary are two inputs, not both ⊥

  /// The largest loss that the claim allows for two inputs at distance d.
  double allowed(double d) const { return epsilon * d + additive; }

  /// Whether the claim covers two texts at all; empty: any two.
  std::function<bool(const std::string&, const std::string&)> adjacent;

  double between(const AuditInput& a, const AuditInput& b) const {
    if (adjacent && !adjacent(a.text, b.text)) return INFINITY;
    return strings_differ && a.text != b.text ? 1 : distance(a.id, b.id);
  }
};

/// The claim of the mechanism's own guarantee on this number of words; an error if it guarantees nothing.
Result<Claim> own_claim(const Mechanism& mechanism, std::uint32_t words);

/// The claim ε·d with the metric of this name: euclidean (of the model's vectors), index (the largest
/// distance in the model's lists), pure (1 for any two inputs).
Result<Claim> named_claim(std::string_view metric, const Model& model, double epsilon);

}  // namespace sotto::audit
