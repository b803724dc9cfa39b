// Which inputs the falsifier uses, and which pairs of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sotto/bit_source.hpp>

#include "audit/falsify/audit_vocabulary.hpp"
#include "audit/falsify/claim.hpp"
#include "audit/falsify/event.hpp"

namespace sotto::audit {

/// Two inputs by their indices in the pool.
struct InputPair {
  std::size_t first;
  std::size_t second;
  std::string chosen_as;
  double distance;
};

/// All words of a small vocabulary. From a larger one random words and, for some of them, the nearest word by
/// the claim and one of the farthest. In any case ⊥, or `outside` in its place if given, unless
/// `vocabulary_only`; if strings are mapped to words, also misspellings of some of the words.
std::vector<AuditInput> choose_inputs(const AuditVocabulary& model, const Claim& claim,
                                      const std::vector<std::string>& outside, bool vocabulary_only,
                                      BitSource& bits);

/// At most `count` pairs for which something is claimed: strings that are mapped to one word, strings without
/// a place, other pairs with an input outside the vocabulary, nearest, farthest, random, and for the rest
/// those whose pilot draws contradict the claim most. `pilots` has a tally per input.
std::vector<InputPair> choose_pairs(const std::vector<AuditInput>& inputs, const Claim& claim,
                                    const std::vector<Tally>& pilots, std::size_t count,
                                    const AuditVocabulary& model, BitSource& bits);

}  // namespace sotto::audit
