// Pairs of whole texts: which are tried, what is claimed for them, and the events that distinguish them.
#pragma once

#include <string>
#include <vector>

#include <sotto/black_box.hpp>
#include <sotto/privatize.hpp>

#include "audit/falsify/adjacency.hpp"
#include "audit/falsify/claim.hpp"

namespace sotto::audit {

struct TextPair {
  std::string first;
  std::string second;
  std::string chosen_as;
};

/// Pairs that differ in words, numbers, letter case, stopwords or words outside the vocabulary, alone and
/// together: what policies treat differently.
std::vector<TextPair> generate_text_pairs(const AuditVocabulary& model, const Claim& claim, BitSource& bits);

/// What is claimed between two texts.
struct TextClaim {
  bool claimed = true;
  double distance = 0;  ///< summed over tokens
  double allowed = 0;
  std::vector<bool> differs;           ///< for each token that goes through the mechanism
  std::vector<std::string> differ_in;  ///< traits outside the claim
};

/// `adjacency` empty: the claim comes from outside and covers all texts with the same number of tokens.
/// `whole_text`: every draw reads the whole text, so one difference counts for all of them.
TextClaim claim_between(const TextPair& pair, const Claim& claim, const std::vector<SharedTrait>& adjacency,
                        const Policy& policy, const AuditVocabulary& model, bool whole_text);

/// What part of an output an event is about: a function of it, and the index it uses.
struct OutputPart {
  std::string (*of)(const std::string& output, std::size_t index);
  std::size_t index;
};

/// Draws both texts through the document path and searches for the event that distinguishes them best: the
/// whole output, one of its words, or its shape (lengths, letter case, digits). One half of the draws chooses
/// it, the other tests it. `alpha` is for each of the bounds.
class TextPairAudit {
 public:
  TextPairAudit(const Privatizer& privatizer, const AuditVocabulary& model, const Claim& claim,
                std::uint64_t draws)
      : privatizer_(privatizer), model_(model), claim_(claim), draws_(draws) {}

  /// One finding per direction.
  Result<std::vector<PairFinding>> test(const TextPair& pair, const TextClaim& claimed, double alpha,
                                        std::uint64_t run) const;

 private:
  using Outputs = std::vector<std::string>;
  Result<Outputs> draw(const std::string& text, std::uint64_t run) const;
  bool covers(const std::string& output, const TextClaim& claimed) const;
  std::vector<OutputPart> parts_of(const std::string& output) const;

  const Privatizer& privatizer_;
  const AuditVocabulary& model_;
  const Claim& claim_;
  std::uint64_t draws_;
};

}  // namespace sotto::audit
