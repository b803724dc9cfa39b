// The receipt: what was run, what it promises, and what still leaks. It is public: it does not differ between
// two inputs of equal adjacency (guarantee.hpp) that gave the same output, except for values that are
// pseudorandom without the key. Exact counts of the input are statistics, which are confidential.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize_options.hpp>

namespace sotto {

/// Exact functions of the private text, summed over documents. No guarantee covers them.
struct Statistics {
  std::uint64_t bytes_in = 0;
  std::uint64_t others = 0;  ///< of Counts::words: URLs, e-mail addresses, emoji, mixed tokens, other scripts
  std::uint64_t changed = 0;                 ///< privatized tokens that became another word
  std::uint64_t bottom = 0;                  ///< privatized tokens whose input was ⊥
  std::uint64_t invalid_utf8 = 0;            ///< invalid sequences replaced by U+FFFD
  std::uint64_t phrases = 0;                 ///< privatized tokens whose input had several words
  std::uint64_t output_phrases = 0;          ///< privatized tokens whose output has several words
  std::uint64_t privatized_words = 0;        ///< words in the privatized tokens
  std::uint64_t output_words = 0;            ///< words in their outputs
  std::uint64_t largest_document_words = 0;  ///< largest number of privatized_words in one document
  // Of the privatized tokens outside the vocabulary, those that a public map gave a word, by how it was
  // found.
  std::uint64_t folded = 0;     ///< the same word in another spelling: accents, case, elongation, endings
  std::uint64_t corrected = 0;  ///< a small edit distance away
  std::uint64_t subword = 0;    ///< nearest by the vectors of character n-grams
  std::uint64_t uniform = 0;    ///< none: the place was drawn uniformly

  /// Privatized tokens that are not in the vocabulary, whatever became of them.
  std::uint64_t outside() const { return bottom + folded + corrected + subword + uniform; }

  SOTTO_API Statistics& operator+=(const Statistics& other);
};

/// Sums over documents, determined by the adjacency of the guarantee except for `statistics`. Adding two of
/// them gives the counts of both, so those of threads and resumed runs can be combined.
struct Counts {
  std::uint64_t documents = 0;  ///< released ones; those of withheld records are not counted
  std::uint64_t words = 0;      ///< tokens of class word or other; with collocations, after segmentation
  std::uint64_t numbers = 0;
  std::uint64_t punctuation = 0;
  std::uint64_t privatized = 0;  ///< tokens that passed through the mechanism
  std::uint64_t randomized_numbers = 0;
  std::uint64_t clear_stopwords = 0;  ///< passed in clear because of the policy, by reason
  std::uint64_t clear_oov = 0;
  std::uint64_t clear_numbers = 0;
  std::uint64_t clear_punctuation = 0;
  std::uint64_t dropped = 0;
  std::uint64_t withheld = 0;          ///< records left out because of a ledger's limit
  std::uint64_t repeated = 0;          ///< records left out because a document of theirs was released before
  std::uint64_t skipped = 0;           ///< records left out because they lack a named field
  std::uint64_t largest_document = 0;  ///< largest number of privatized tokens in one document
  std::uint64_t largest_record = 0;    ///< the same for all fields of one record together
  // With a budget per document; otherwise 0.
  double epsilon_sum = 0;      ///< spent by all tokens, rounded up
  double largest_epsilon = 0;  ///< spent by one document, rounded up
  double smallest_share = 0;   ///< of a token
  double largest_share = 0;
  double largest_record_epsilon = 0;  ///< spent by all fields of one record, rounded up
  Statistics statistics;              ///< confidential

  SOTTO_API Counts& operator+=(const Counts& other);
};

/// The stored certificate that a guarantee is based on.
struct CertificateReference {
  double epsilon = 0;   ///< certified
  double attained = 0;  ///< the part of it that some pair of inputs attains
  std::string sha256;   ///< of the certificate's file
};

/// What a run did to its ledger.
struct LedgerReceipt {
  std::string id;             ///< of the ledger, hex
  std::string subject_field;  ///< names the accounts that were charged
  std::string unit;           ///< of the charges
  double limit = 0;
  std::string head;  ///< of the chain after the run's last charge; keep it as a pin, see docs/ledger.md
  std::vector<std::string> other_heads = {};  ///< the same of other partitions, if receipts were merged
  // Confidential: whether a document was charged reveals whether it had been released before.
  std::uint64_t charged_documents = 0;   ///< entered by this run
  std::uint64_t repeated_documents = 0;  ///< released again at no charge
  std::uint64_t entries = 0;             ///< in the ledger after the run's last charge
};

/// A budget per document.
struct BudgetReceipt {
  std::string strategy;
  double document_epsilon = 0;
  std::vector<double> profile;  ///< of the strategy positions
};

/// How words were joined into tokens.
struct CollocationsReceipt {
  std::string method;
  std::string phrases_digest;
  std::uint64_t phrases = 0;  ///< phrases of the table that are words of the model
};

/// The language model of a mechanism that rewrites whole texts.
struct LanguageModelReceipt {
  std::string device;
  std::string precision;
  std::string law;               ///< of a draw: bounded or balanced
  std::string mode;              ///< what draws see: parallel, sequential or one-pass; empty: none of these
  std::optional<double> wander;  ///< how far words wander; empty: the model's do not
  double lowest_logit = 0;
  double highest_logit = 0;
  bool bounded_by_architecture = false;  ///< otherwise logits are clipped
  std::string calibration_text;          ///< SHA-256 of the public text on which the bounds were estimated
  std::uint64_t outcomes = 0;            ///< number of words or tokens that a draw chooses from
  double delta = 0;                      ///< of the figure besides ε
  bool same_everywhere = false;          ///< the model's answers are the same bits on every processor
};

/// Receipt::format of texts that were in no file.
inline constexpr const char* kInMemory = "memory";

struct Receipt {
  std::string mechanism;
  MechanismKind kind = MechanismKind::word_by_word;  ///< of the mechanism
  ParameterValues parameters;
  std::string model;
  std::string model_digest;
  EpsilonBasis epsilon_chosen_on = EpsilonBasis::unstated;
  double epsilon = 0;   ///< nominal, per token; with a budget per document, the largest that was used
  Guarantee guarantee;  ///< for one token
  std::optional<LanguageModelReceipt> language_model;  ///< empty: the mechanism uses none
  std::optional<BudgetReceipt> budget;                 ///< empty: every token had `epsilon`
  std::optional<CollocationsReceipt> collocations;     ///< empty: every word was a token
  std::string word_map_digest;    ///< of the map of words outside the vocabulary; empty: the policy uses none
  std::string word_forms_digest;  ///< of the table of word forms; empty: the policy uses none
  std::optional<CertificateReference> certificate;
  Policy policy;
  std::string dataset;
  std::string format;
  std::string delimiter;         ///< of CSV and TSV, one character; empty for other formats
  bool delimiter_found = false;  ///< it was not given but found by looking at the input
  std::vector<std::string> fields;
  std::set<std::string> clear_fields;  ///< fields of the records that were copied unchanged
  std::string configuration_digest;
  bool seeded = false;
  bool keyed = false;  ///< the key came from a file, so a later run can repeat the noise
  Counts counts;
  std::optional<LedgerReceipt> ledger;  ///< empty: none was used
  double seconds = 0;                   ///< confidential: time depends on the text
  double setup_seconds = 0;             ///< of these, before the first record was read
};

/// The receipt as JSON (docs/schemas/receipt.schema.json), ending in a newline, without what is confidential.
/// Thread-safe.
SOTTO_API std::string to_json(const Receipt& receipt);

/// What to_json() leaves out, as JSON (docs/schemas/statistics.schema.json), ending in a newline.
/// Thread-safe.
SOTTO_API std::string statistics_json(const Receipt& receipt);

/// What an observer of the output still learns, one sentence per item. Thread-safe.
SOTTO_API std::vector<std::string> what_leaks(const Receipt& receipt);

}  // namespace sotto
