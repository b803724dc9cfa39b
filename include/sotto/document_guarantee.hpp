// What a mechanism promises for whole texts under a policy. This is the only place that combines the two:
// receipts, budgets, the ledger and the falsifier read the result.
#pragma once

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/policy.hpp>

namespace sotto {

/// How a mechanism sees a text.
enum class TextView {
  words,    ///< token by token; equal token classes give equal numbers of draws
  masked,   ///< token by token; each draw reads the whole text
  written,  ///< as a whole, in tokens of a language model
};

/// What, besides the mechanism's own guarantee, decides between which texts there is a promise.
struct TextRules {
  TextView view = TextView::words;
  Policy policy = {};
  bool collocations = false;     ///< words are joined into tokens
  bool shares_by_words = false;  ///< a document's budget is shared by words per token
};

/// The mechanism's guarantee `token`, completed with the adjacency of texts. Words that the policy keeps or
/// drops narrow the scope; if a language model reads them, nothing is promised. Thread-safe.
SOTTO_API Guarantee guarantee_for_texts(Guarantee token, const TextRules& rules);

}  // namespace sotto
