// Settling with a ledger apart from rewriting: any number of processes rewrite records and make claims; one
// that has the ledger, but neither key nor model, charges them and says which records may be released.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/ledger.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// What a ledger learns about the output of a document.
struct ClaimedDocument {
  std::array<unsigned char, 16> tag{};  ///< identifies the document to a holder of the key
  std::array<unsigned char, 16> mac{};  ///< the same for its output
  NanoEpsilon amount = 0;               ///< what it costs unless this output is in the ledger; at least 1
};

/// What a rewritten record asks of a ledger. Privatizer::rewrite() makes it. It holds no text and no unkeyed
/// hash of one, but it names subject and record in clear, and its amounts reveal how long the texts were.
/// Show it to whoever may read the ledger, which keeps all of it except data set and id (those it keeps of
/// withheld records). A ledger believes its claims: accept them from trusted workers only.
struct LedgerClaim {
  std::string dataset;
  std::string id;
  std::string subject;                     ///< whose account is charged
  std::string unit;                        ///< of the amounts
  std::vector<ClaimedDocument> documents;  ///< those that cost something; charged together or not at all
  /// Of all its documents, also those that cost nothing: each identifies data set, id and field to a holder
  /// of the key, whatever the text. For ledgers that refuse repeats.
  std::vector<std::array<unsigned char, 16>> names;
};

/// An open ledger. Safe to use from several threads; several processes may use the same ledger at once, each
/// with a session of its own.
class LedgerSession {
 public:
  /// Opens a ledger, which is created if there is none. All claims must have the same unit: `unit`, or if
  /// that is empty, that of the first claim. `subject_field` is for the receipt. Thread-safe.
  SOTTO_API static Result<std::unique_ptr<LedgerSession>> open(const LedgerOptions& options,
                                                               std::string_view unit = {});
  SOTTO_API ~LedgerSession();

  /// Decides about the claims in order, in one transaction. Element i of the result is for the record of
  /// claim i; on success all that the released ones cost is on disk. An output that is in the ledger, or
  /// occurs in an earlier claim, costs nothing again; another output of the same document costs as much as
  /// the first. A record is withheld, and listed in the ledger, if it would take its subject's account over
  /// the limit. On failure nothing was charged, and nothing may be released.
  ///
  /// The charge is final: if the record is lost after it, nothing is refunded, but whoever rewrites it under
  /// the same key makes the same claim, which is then free; or refused, if the ledger refuses repeats.
  SOTTO_API Result<std::vector<Settled>> settle(std::span<const LedgerClaim> claims);

  /// What has been charged so far. The unit is empty before the first claim, unless it was given.
  SOTTO_API LedgerReceipt receipt() const;

  struct Impl;

 private:
  friend class Privatizer;
  explicit LedgerSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The largest text that ledger_claims_from_json() reads, and the longest data set, id, subject or unit of a
/// claim, in bytes.
inline constexpr std::size_t kLargestClaimsText = std::size_t{1} << 26;
inline constexpr std::size_t kLongestClaimName = std::size_t{1} << 20;

/// Claims as JSON (docs/schemas/ledger_claims.schema.json), ending in a newline. Nothing is lost: names that
/// are not UTF-8 are written in base64. Thread-safe.
SOTTO_API std::string to_json(std::span<const LedgerClaim> claims);

/// Reads them back. The text may come from anywhere: an error names the claim and the member that is wrong.
/// Thread-safe.
SOTTO_API Result<std::vector<LedgerClaim>> ledger_claims_from_json(std::string_view json);

}  // namespace sotto
