// What a mechanism promises for whole texts under a policy. The only place where the two are put together:
// receipts, budgets, the ledger and the falsifier read the result.
#pragma once

#include <sotto/guarantee.hpp>
#include <sotto/policy.hpp>

namespace sotto {

/// How a mechanism sees a text.
enum class TextView {
  words,    ///< token by token; equal token classes give equal numbers of draws
  masked,   ///< token by token, each draw reading the whole text
  written,  ///< as a whole, in tokens of a language model
};

/// What decides between which texts there is a promise, beside the mechanism's own guarantee.
struct TextRules {
  TextView view = TextView::words;
  Policy policy = {};
  bool collocations = false;     ///< words are put together to tokens
  bool shares_by_words = false;  ///< a document's budget is shared by words per token
};

/// The guarantee `token` of a mechanism, completed with the adjacency of texts. Words that the policy keeps
/// or drops narrow the scope; where a language model reads them, nothing is promised. Thread-safe.
Guarantee guarantee_for_texts(Guarantee token, const TextRules& rules);

}  // namespace sotto
