// What to do to a document. Every front end fills in these options.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/budget.hpp>
#include <sotto/collocations.hpp>
#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/result.hpp>
#include <sotto/secret_key.hpp>

namespace sotto {

inline constexpr std::uint64_t kDefaultMaxDocumentBytes = 16ULL << 20;
inline constexpr std::uint64_t kLargestMaxDocumentBytes = 2ULL << 30;

/// The meaning of the ε of PrivatizeOptions::mechanism.
enum class PrivacyTarget {
  nominal,    ///< what the mechanism is built with
  certified,  ///< an upper bound for its certificate; needs a stored certificate (see certificate.hpp)
};

/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 2> kPrivacyTargetNames = {"nominal", "certified"};

/// "nominal" or "certified". Thread-safe.
SOTTO_API Result<PrivacyTarget> parse_target(std::string_view name);

/// What the ε was chosen by looking at. An ε chosen on private text is a function of it, which no guarantee
/// covers; the receipt says so.
enum class EpsilonBasis { unstated, public_text, private_text };
inline constexpr std::array<std::string_view, 2> kEpsilonBasisNames = {"public-text", "private-text"};
/// As in kEpsilonBasisNames; empty if unstated. Thread-safe.
SOTTO_API std::string_view to_string(EpsilonBasis basis);

/// "public-text" or "private-text". Thread-safe.
SOTTO_API Result<EpsilonBasis> parse_epsilon_basis(std::string_view name);

/// An ε for each document, shared among its tokens (see budget.hpp). By basic composition, the tokens of a
/// document spend at most this ε. If a document is so long that a share falls outside the range that the
/// mechanism allows, the error names it. This ε must be chosen independently of the documents: an average
/// over them would leak information about each of them.
struct DocumentBudget {
  BudgetStrategy strategy = BudgetStrategy::even;  ///< not token
  double epsilon = 0;                              ///< per document, in the unit of the mechanism's guarantee
  PositionProfile profile;                         ///< for positions only
};

/// What to do to a document.
struct PrivatizeOptions {
  MechanismSpec mechanism;                        ///< give either its ε or `document_budget`
  std::optional<DocumentBudget> document_budget;  ///< empty: the mechanism's ε for each token
  /// Whether groups of up to three words are privatized together if they are words of the model. Nothing is
  /// promised between texts that are segmented into different numbers of tokens.
  Segmentation collocations = Segmentation::none;
  std::optional<std::filesystem::path> phrases;  ///< a phrase table; empty: the one in the model file
  PrivacyTarget target = PrivacyTarget::nominal;
  Policy policy;
  std::optional<std::uint64_t> seed;  ///< for experiments: public noise, no privacy
  /// 32 secret bytes; without them, with neither `key` nor a seed: fresh ones from the operating system.
  std::optional<std::filesystem::path> key_file;
  std::optional<SecretKey> key;  ///< instead of a key file; the output is that of a key file of these bytes
  /// Whether a second document of the same name is an error. With a key (or a seed), documents with the same
  /// name and text have the same noise and hence the same output, so whoever can have a guess privatized
  /// under the name of a document learns whether the guess is right. Without a key or seed, no two documents
  /// share noise. Takes about 48 bytes of memory per name.
  bool unique_ids = false;
  std::uint64_t max_document_bytes = kDefaultMaxDocumentBytes;  ///< at most kLargestMaxDocumentBytes
  LanguageModelResources language;                              ///< for mechanisms that use a language model
  double delta = 1e-6;  ///< of the figure besides ε in their receipt; between 0 and 1
  EpsilonBasis epsilon_chosen_on = EpsilonBasis::unstated;  ///< for the receipt; does not change the output

  /// Whether a secret key is given, which another run can use again.
  bool keyed() const { return key_file || key; }
};

/// What the names S1 to S4 (section 5.2 of "A Collocation-based Method for Addressing Challenges in
/// Word-level Metric Differential Privacy") determine besides the strategy: S1 uses single words and keeps
/// stopwords; S2 and S3 use GST, S4 uses MST, and all three privatize stopwords.
struct NamedBudget {
  BudgetStrategy strategy = BudgetStrategy::token;
  std::optional<Segmentation> collocations;  ///< empty: not determined
  std::optional<StopwordPolicy> stopwords;
};

/// Accepts the same names as parse_budget_strategy(). Thread-safe.
SOTTO_API Result<NamedBudget> parse_named_budget(std::string_view name);

/// Sets a document's budget and whatever else the name determines. Without a document's ε (0), the name must
/// be "token", which leaves the options unchanged. Thread-safe for different `options`.
SOTTO_API Result<void> apply_named_budget(std::string_view name, double document_epsilon,
                                          PrivatizeOptions& options);

}  // namespace sotto
