// What an open Privatizer holds.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <sotto/privatizer.hpp>

#include "pipeline/ledger_gate.hpp"
#include "pipeline/rewriter.hpp"
#include "pipeline/unique_ids.hpp"

namespace sotto {

struct Privatizer::Impl {
  /// Notes the name of a document, where a second of the same name is refused.
  Result<void> note(const DocumentName& name);

  std::shared_ptr<const RewriteContext> context;
  std::atomic<std::uint64_t> calls = 0;  // joins the name where repeats get fresh noise
  std::mutex mutex;                      // for what follows
  std::optional<UniqueIds> names;        // when they must not repeat
  // Rewriters between two calls: their buffers are worth keeping.
  std::vector<std::unique_ptr<Rewriter>> idle;
};

struct PrivatizerAccess {
  static Privatizer::Impl& impl(const Privatizer& privatizer) { return *privatizer.impl_; }
};

/// Takes a rewriter of a Privatizer for the time it lives.
class BorrowedRewriter {
 public:
  explicit BorrowedRewriter(Privatizer::Impl& owner);
  ~BorrowedRewriter();
  BorrowedRewriter(const BorrowedRewriter&) = delete;
  BorrowedRewriter& operator=(const BorrowedRewriter&) = delete;

  Rewriter* operator->() const { return rewriter_.get(); }

 private:
  Privatizer::Impl& owner_;
  std::unique_ptr<Rewriter> rewriter_;
};

struct LedgerSession::Impl {
  std::mutex mutex;  // calls of the gate are serialized
  std::unique_ptr<LedgerGate> gate;
};

}  // namespace sotto
