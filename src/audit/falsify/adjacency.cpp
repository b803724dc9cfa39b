#include "audit/falsify/adjacency.hpp"

#include <sotto/tokenizer.hpp>

#include "text/letter_case.hpp"

namespace sotto::audit {
namespace {

/// A token and what the policy does to it. Implemented without the code that rewrites documents, so that the
/// audit does not rely on the code it audits.
struct SeenToken {
  std::string_view text;
  std::string_view space_before;
  TokenClass token_class;
  TokenId id;
  bool kept;
  bool dropped;
};

bool is_word(const SeenToken& token) {
  return token.token_class == TokenClass::word || token.token_class == TokenClass::other;
}

SeenToken see(std::string_view text, const Token& token, std::size_t end_before, const Policy& policy,
              const AuditVocabulary& vocabulary) {
  SeenToken seen{text.substr(token.begin, token.end - token.begin),
                 text.substr(end_before, token.begin - end_before),
                 token.token_class,
                 vocabulary.bottom(),
                 false,
                 false};
  if (!is_word(seen)) return seen;
  if (token.token_class == TokenClass::word) {
    seen.id = vocabulary.find(seen.text);
    if (policy.stopwords == StopwordPolicy::keep && is_stopword(text::lookup_form(seen.text)))
      seen.kept = true;
  }
  if (seen.kept || seen.id != vocabulary.bottom()) return seen;
  seen.kept = policy.oov == OovPolicy::keep;
  seen.dropped = policy.oov == OovPolicy::drop;
  seen.id = vocabulary.outside(seen.text);
  return seen;
}

std::string shape_of_number(std::string_view number) {
  std::string shape(number);
  for (char& byte : shape)
    if (byte >= '0' && byte <= '9') byte = '9';
  return shape;
}

/// What a token contributes to a trait of its text.
std::string contribution(const SeenToken& token, SharedTrait trait) {
  const bool number = token.token_class == TokenClass::number;
  const bool punctuation = token.token_class == TokenClass::punctuation;
  switch (trait) {
    case SharedTrait::token_classes:
      return number ? "number" : punctuation ? "punctuation" : "word";
    case SharedTrait::punctuation:
      return punctuation ? std::string(token.text) : "";
    case SharedTrait::whitespace:
      return std::string(token.space_before);
    case SharedTrait::number_shapes:
      return number ? shape_of_number(token.text) : "";
    case SharedTrait::kept_words:
      return token.kept ? std::string(token.text) : "";
    case SharedTrait::dropped_words:
      return token.dropped ? "dropped" : "";
    case SharedTrait::kept_numbers:
      return number ? std::string(token.text) : "";
    case SharedTrait::letter_case:
      return is_word(token) ? std::to_string(static_cast<int>(text::case_pattern(token.text))) : "";
    case SharedTrait::segmentation:
    case SharedTrait::word_count:
    case SharedTrait::model_tokens:
      return std::string(token.text);  // only other components know these; the same text has the same
  }
  return {};
}

}  // namespace

TextProfile profile_text(std::string_view text, const std::vector<SharedTrait>& traits, const Policy& policy,
                         const AuditVocabulary& vocabulary) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::vector<SeenToken> seen;
  std::size_t end = 0;
  for (const Token& token : tokens) {
    seen.push_back(see(text, token, end, policy, vocabulary));
    end = token.end;
  }
  TextProfile profile;
  for (const SeenToken& token : seen)
    if (is_word(token) && !token.kept && !token.dropped) profile.inputs.push_back(token.id);
  for (const SharedTrait trait : traits) {
    std::string value;
    for (const SeenToken& token : seen) value += contribution(token, trait) + '\n';
    if (trait == SharedTrait::whitespace) value += text.substr(end);
    profile.traits.push_back(std::move(value));
  }
  return profile;
}

}  // namespace sotto::audit
