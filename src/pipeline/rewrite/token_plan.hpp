// What becomes of each token of a text, and how a policy treats tokens that are not words of a vocabulary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sotto/policy.hpp>
#include <sotto/receipt.hpp>
#include <sotto/tokenizer.hpp>

#include "text/render.hpp"

namespace sotto::pipeline {

enum class TokenAction : std::uint8_t { keep, drop, replace, digits };

/// The text of a document that is rewritten token by token, until it is rendered.
struct PlannedText {
  std::string_view text;
  std::vector<Token> tokens;
  std::vector<TokenAction> actions;    ///< one per token
  std::vector<std::uint32_t> numbers;  ///< the tokens that get other digits
  std::vector<char> digits;            ///< drawn for them, in order
};

inline bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

inline std::string_view token_text(std::string_view text, const Token& token) {
  return {text.data() + token.begin, token.end - token.begin};
}

/// Whether words outside the vocabulary go through the mechanism.
inline bool replaces_outside(const Policy& policy) {
  return policy.oov == OovPolicy::nearest || policy.oov == OovPolicy::bottom;
}

/// Whether sentences of the output begin with a capital, whatever the input had there.
inline bool begins_with_capitals(const Policy& policy) {
  return policy.letter_case == CasePolicy::natural || policy.letter_case == CasePolicy::position;
}

/// A word outside the vocabulary, or a token treated like one.
inline TokenAction plan_outside(const Policy& policy, Counts& counts) {
  switch (policy.oov) {
    case OovPolicy::nearest:
    case OovPolicy::bottom:
      return TokenAction::replace;
    case OovPolicy::keep:
      ++counts.clear_oov;
      return TokenAction::keep;
    case OovPolicy::drop:
      break;
  }
  ++counts.dropped;
  return TokenAction::drop;
}

inline std::size_t digit_count(std::string_view number) {
  return static_cast<std::size_t>(std::count_if(number.begin(), number.end(), is_digit));
}

/// Token `index`, a number; makes room for the digits to be drawn.
inline TokenAction plan_number(const Policy& policy, PlannedText& planned, std::size_t index,
                               Counts& counts) {
  switch (policy.numbers) {
    case NumberPolicy::random:
      ++counts.randomized_numbers;
      planned.numbers.push_back(static_cast<std::uint32_t>(index));
      planned.digits.resize(planned.digits.size() +
                            digit_count(token_text(planned.text, planned.tokens[index])));
      return TokenAction::digits;
    case NumberPolicy::keep:
      ++counts.clear_numbers;
      return TokenAction::keep;
    case NumberPolicy::drop:
      break;
  }
  ++counts.dropped;
  return TokenAction::drop;
}

/// Replaces a number's digits with drawn ones; returns where the next ones are.
inline const char* replace_digits(text::Renderer& renderer, std::string_view text, const Token& number,
                                  const char* digits) {
  char* to = renderer.replace_in_place(number);
  for (const char byte : token_text(text, number)) *to++ = is_digit(byte) ? *digits++ : byte;
  return digits;
}

/// Counts tokens of one class.
inline void count_class(TokenClass token_class, std::uint64_t tokens, Counts& counts) {
  switch (token_class) {
    case TokenClass::word:
      counts.words += tokens;
      break;
    case TokenClass::other:  // not visible in the output
      counts.words += tokens;
      counts.statistics.others += tokens;
      break;
    case TokenClass::number:
      counts.numbers += tokens;
      break;
    case TokenClass::punctuation:
      counts.punctuation += tokens;
      break;
  }
}

}  // namespace sotto::pipeline
