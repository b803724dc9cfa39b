// What happens to each class of token. Receipts count everything that a policy passes in clear.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr int kPolicyVersion = 2;

enum class StopwordPolicy { privatize, keep };
enum class OovPolicy { nearest, bottom, keep, drop };
enum class NumberPolicy { random, keep, drop };
enum class PunctuationPolicy { keep, drop };
enum class ArticlePolicy { agree, keep };
enum class CasePolicy { natural, position, keep, lower };

inline constexpr std::array<std::string_view, 2> kPolicyNames = {"strict", "paper"};
/// In the order of the enumerators, as are those below.
inline constexpr std::array<std::string_view, 2> kStopwordPolicyNames = {"privatize", "keep"};
inline constexpr std::array<std::string_view, 4> kOovPolicyNames = {"nearest", "bottom", "keep", "drop"};
/// Without those that pass words by the mechanism.
inline constexpr std::span<const std::string_view> kReplacingOovNames = std::span(kOovPolicyNames).first(2);
inline constexpr std::array<std::string_view, 3> kNumberPolicyNames = {"random", "keep", "drop"};
inline constexpr std::array<std::string_view, 2> kPunctuationPolicyNames = {"keep", "drop"};
inline constexpr std::array<std::string_view, 4> kCasePolicyNames = {"natural", "position", "keep", "lower"};
inline constexpr std::array<std::string_view, 2> kArticlePolicyNames = {"agree", "keep"};

struct Policy {
  StopwordPolicy stopwords = StopwordPolicy::privatize;
  /// Words outside the vocabulary. nearest: a public function of the characters gives a word, which goes
  /// through the mechanism; what has no meaningful place (a link, an address, another script) goes through it
  /// from a uniformly drawn one. bottom: all of them are one public input, ⊥. For language models, which draw
  /// every word whatever it is, both mean the same.
  OovPolicy oov = OovPolicy::nearest;
  /// random: other digits, as many, whose law depends on the shape alone (digit counts and separators): a
  /// uniform time or date where the shape is one, otherwise uniform digits with no zero before others.
  NumberPolicy numbers = NumberPolicy::random;
  PunctuationPolicy punctuation = PunctuationPolicy::keep;
  /// Capitals. natural: at sentence starts of the output, and each output word in the form it usually has in
  /// public text ("Munich", "NASA"). position: at sentence starts only. Neither depends on the input's.
  CasePolicy letter_case = CasePolicy::natural;
  /// agree: "a" or "an" in the output follows the next word of the output. keep: as drawn.
  ArticlePolicy articles = ArticlePolicy::agree;

  /// The default: no part of the words themselves passes in clear.
  static Policy strict() { return {}; }
  /// As in the papers: stopwords, words outside the vocabulary, numbers and punctuation are kept, and output
  /// words are written as in the model but for capitals at sentence starts; articles stay as drawn.
  SOTTO_API static Policy paper();
};

/// "strict" or "paper". Thread-safe.
SOTTO_API Result<Policy> parse_policy(std::string_view name);

/// Sets one part by its option name ("stopwords", "oov", "numbers", "punctuation", "case", "articles").
/// Thread-safe for different policies.
SOTTO_API Result<void> set_policy_part(Policy& policy, std::string_view part, std::string_view value);

/// Thread-safe, as are the five overloads below.
SOTTO_API const char* to_string(StopwordPolicy value);
SOTTO_API const char* to_string(OovPolicy value);
SOTTO_API const char* to_string(NumberPolicy value);
SOTTO_API const char* to_string(PunctuationPolicy value);
SOTTO_API const char* to_string(CasePolicy value);
SOTTO_API const char* to_string(ArticlePolicy value);

}  // namespace sotto
