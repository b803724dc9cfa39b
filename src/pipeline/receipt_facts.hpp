// What a receipt says, read back from its JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/policy.hpp>
#include <sotto/result.hpp>

namespace sotto::pipeline {

/// Counts beyond this are not exact in every reader of JSON, and their sums might overflow.
inline constexpr std::uint64_t kLargestCount = 1ULL << 53;

/// Texts are visible (visible_text) and not longer than a line or two, lists not longer than a page, numbers
/// finite and not negative.
struct ReceiptFacts {
  struct Certificate {
    double epsilon = 0;
    double attained = 0;
    double nominal = 0;
    std::string sha256;
  };
  struct Concentrated {
    double rho = 0;
    double delta = 0;
    double epsilon = 0;
  };
  struct Promise {
    bool holds = false;
    std::string kind;
    std::string statement;
    std::string whole_statement;  ///< as it stands in the receipt: to check, not to show
    // The rest only if it holds.
    std::string metric;  ///< empty: pure ε
    std::string scope;
    std::vector<std::string> adjacency;
    std::vector<std::string> assumptions;
    double epsilon = 0;   ///< per token
    double additive = 0;  ///< per token
    std::optional<Certificate> certificate;
    double document_max = 0;
    double document_mean = 0;
    double document_additive = 0;
    std::optional<Concentrated> concentrated;
    std::optional<double> record_max;
  };
  struct Budget {
    double document_epsilon = 0;
    double smallest = 0;  ///< per token
    double largest = 0;
    double mean = 0;
  };
  struct CountsShown {
    std::uint64_t documents = 0;
    std::uint64_t privatized = 0;
    std::uint64_t largest_document = 0;
    std::uint64_t withheld = 0;
    std::uint64_t repeated = 0;
    // The rest only if the output shows token classes.
    bool has_tokens = false;
    std::uint64_t words = 0;
    std::uint64_t numbers = 0;
    std::uint64_t punctuation = 0;
    std::uint64_t randomized_numbers = 0;
    std::uint64_t clear_stopwords = 0;
    std::uint64_t clear_oov = 0;
    std::uint64_t clear_numbers = 0;
    std::uint64_t clear_punctuation = 0;
    std::uint64_t dropped = 0;
  };
  struct Ledger {
    std::string id;
    std::string subject_field;
    std::string unit;
    double limit = 0;
    std::string head;
  };

  std::string program;  ///< version of the program that wrote it
  bool seeded = false;
  std::string mechanism;
  double epsilon = 0;  ///< nominal
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string model;
  std::string model_digest;
  Promise promise;
  bool language_model = false;
  std::string mode;              ///< what the draws of a language model see; empty: no such modes
  std::optional<double> wander;  ///< empty: words of the model do not wander
  std::optional<Budget> budget;
  Policy policy;
  std::string collocations;  ///< the method; empty: none
  std::string dataset;
  std::string format;
  std::vector<std::string> fields;
  std::string configuration;
  CountsShown counts;
  std::optional<Ledger> ledger;
  std::vector<std::string> leaks;
};

tl::unexpected<Error> unsound(std::string_view problem);

/// Refuses what no run writes: figures that contradict one another.
Result<void> check_agreement(const ReceiptFacts& facts);

/// Reads and checks a receipt (see describe_receipt).
Result<ReceiptFacts> read_receipt(std::string_view json);

}  // namespace sotto::pipeline
