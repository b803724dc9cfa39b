// Where rewritten texts wait until the ledger has allowed them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sotto/privatizer.hpp>
#include <sotto/settlement.hpp>

#include "service/privatization.hpp"

namespace sotto::server {

/// A job whose texts are rewritten but not yet charged.
struct UnsettledJob {
  PrivatizeJob job;
  std::vector<UnsettledRecord> records;  ///< one per text
};

/// Charges what waits, all of it in one transaction, in a thread of its own: a ledger that is slow or locked
/// holds up nobody else. Nothing that is not charged is released. Safe to use from several threads.
class LedgerDesk {
 public:
  static Result<std::unique_ptr<LedgerDesk>> open(const LedgerOptions& options,
                                                  std::unique_ptr<LedgerSession> session);
  /// Settles what still waits.
  ~LedgerDesk();

  void settle(std::vector<UnsettledJob> jobs);
  /// The same for claims that were made elsewhere; returns when it is done.
  Outcome<std::vector<Settled>> settle_claims(std::span<const LedgerClaim> claims);

  /// Reads the ledger anew, whoever wrote to it.
  Outcome<Spending> spending_of(std::string_view subject) const;

  const LedgerOptions& options() const { return options_; }
  /// Of the charges.
  std::string unit() const { return session_->receipt().unit; }

 private:
  LedgerDesk(LedgerOptions options, std::unique_ptr<LedgerSession> session, std::unique_ptr<Ledger> ledger);
  void run();
  void settle_all(std::vector<UnsettledJob>& jobs);
  Result<std::vector<Privatized>> settled(std::vector<UnsettledJob>& jobs);
  Result<void> add_spending(const std::vector<UnsettledJob>& jobs, std::vector<Privatized>& answers);

  const LedgerOptions options_;
  const std::unique_ptr<LedgerSession> session_;
  const std::unique_ptr<Ledger> accounts_;  // used by the thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<UnsettledJob> waiting_;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace sotto::server
