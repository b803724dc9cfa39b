// What an attacker with public frequencies recovers of a text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/choose.hpp>
#include <sotto/model.hpp>

#include "audit/attack/guesses.hpp"
#include "audit/attack/word_space.hpp"

namespace sotto::evaluate {

/// The words of a text, as a model sees them.
struct KnownWords {
  std::map<TokenId, std::uint64_t> counts;  ///< of words in the vocabulary
  std::uint64_t known = 0;                  ///< their sum
  std::uint64_t unknown = 0;                ///< number of words outside the vocabulary

  static KnownWords of(const Model& model, std::span<const std::string> documents);
};

struct AttackSettings {
  std::optional<std::uint64_t> seed;  ///< of the draws; empty: a throwaway key
  unsigned threads = 0;
  ProgressCallback progress;  ///< asked whether to go on
};

/// A text and the attacker on it. The candidates are the words of the text and the most frequent ones.
class TextAttack {
 public:
  /// `frequencies` has one weight above 0 per word of the model. The text must have a known word.
  TextAttack(std::shared_ptr<const Model> model, KnownWords text, std::span<const double> frequencies);

  /// What the mechanism, which has this ε, does to the text; without similarity. Exact if it has rows.
  Result<TextFigures> measure(const Mechanism& mechanism, double epsilon, const AttackSettings& settings);

  std::uint64_t candidates() const { return candidates_.words.size(); }
  /// Share of the words that the best guess without any output recovers.
  double blind() const;

 private:
  Result<TextFigures> measure_exactly(const Mechanism& mechanism, const AttackSettings& settings) const;
  Result<TextFigures> measure_by_trial(const Mechanism& mechanism, double epsilon,
                                       const AttackSettings& settings);
  TextFigures weigh(std::span<const double> changed, std::span<const double> recovered) const;

  std::shared_ptr<const Model> model_;
  audit::Secrets candidates_;
  std::vector<double> weights_;            ///< share of the text that each candidate is
  std::vector<bool> is_content_;           ///< no stopword
  std::optional<audit::WordSpace> space_;  ///< made when first needed, with near_
  std::vector<audit::WordSpace::Near> near_;
};

}  // namespace sotto::evaluate
