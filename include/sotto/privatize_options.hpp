// What to do to a document. Every front end fills these options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/budget.hpp>
#include <sotto/collocations.hpp>
#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::uint64_t kDefaultMaxDocumentBytes = 16ULL << 20;

/// What PrivatizeOptions::epsilon is.
enum class PrivacyTarget {
  nominal,    ///< what the mechanism is built with
  certified,  ///< what its certificate must not exceed; needs a stored certificate (see certificate.hpp)
};

/// "nominal" or "certified".
Result<PrivacyTarget> parse_target(std::string_view name);

/// An ε for each document, shared among its tokens (see budget.hpp). By adding up, the tokens of a document
/// spend at most that; a document so long that a share leaves the range that the mechanism allows is an error
/// that names it. It must come from outside: an average over the documents would tell about each of them.
struct DocumentBudget {
  BudgetStrategy strategy = BudgetStrategy::even;  ///< not token
  double epsilon = 0;       ///< of a document, in the unit of the mechanism's guarantee
  PositionProfile profile;  ///< for positions only
};

/// What to do to a document.
struct PrivatizeOptions {
  std::string mechanism = "diffractor-geometric";
  double epsilon = 0;  ///< per token, in the unit of the mechanism's guarantee; this or `document_budget`
  std::optional<DocumentBudget> document_budget;  ///< empty: `epsilon` for each token
  /// Whether words are privatized in groups of up to three, where these are words of the model. Between texts
  /// that are cut into different numbers of tokens nothing is promised.
  Segmentation collocations = Segmentation::none;
  std::optional<std::filesystem::path> phrases;  ///< a phrase table; empty: the one inside the model file
  PrivacyTarget target = PrivacyTarget::nominal;
  ParameterValues parameters;  ///< the rest take their defaults
  std::string model;           ///< name or path; empty: the mechanism's default
  Policy policy;
  std::optional<std::uint64_t> seed;  ///< for experiments: public noise, no privacy
  std::optional<std::filesystem::path>
      key_file;  ///< 32 secret bytes; empty: fresh ones from the operating system
  /// Whether a second document of the same name is an error. With a key file (or a seed) it has the noise of
  /// the first: where the texts are equal too, so are the outputs, and whoever can have a guess privatized
  /// under the name of a document learns whether it is right. Without one no two documents share noise. Takes
  /// about 48 bytes of memory per name.
  bool unique_ids = false;
  std::uint64_t max_document_bytes = kDefaultMaxDocumentBytes;
  MechanismResources resources;     ///< changes speed only
  LanguageModelResources language;  ///< for mechanisms that use a language model
  double delta = 1e-6;              ///< for what their receipt says beside ε; between 0 and 1
};

/// What one of the names S1 to S4 (section 5.2 of "A Collocation-based Method for Addressing Challenges in
/// Word-level Metric Differential Privacy") says beside the strategy: S1 single words, stopwords kept; S2 and
/// S3 GST, S4 MST, stopwords privatized.
struct NamedBudget {
  BudgetStrategy strategy = BudgetStrategy::token;
  std::optional<Segmentation> collocations;  ///< empty: says nothing
  std::optional<StopwordPolicy> stopwords;
};

/// What parse_budget_strategy() takes.
Result<NamedBudget> parse_named_budget(std::string_view name);

/// Sets the budget of a document, and what the name says besides. Without an ε of the document (0) the name
/// must be "token", which leaves the options as they are. Thread-safe.
Result<void> apply_named_budget(std::string_view name, double document_epsilon, PrivatizeOptions& options);

}  // namespace sotto
