// The state of an open Privatizer.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <sotto/privatizer.hpp>

#include "pipeline/charging.hpp"
#include "pipeline/records/unique_ids.hpp"
#include "pipeline/rewrite/rewriter.hpp"
#include "pipeline/settlement.hpp"

namespace sotto {

struct Privatizer::Impl {
  /// Records the name of a document; where names must not repeat, refuses a second one with the same name.
  Result<void> note(const DocumentName& name);

  /// What documents cost; fails if they cannot be charged.
  Result<const pipeline::Charging*> charging();

  std::shared_ptr<const pipeline::RewriteContext> context;
  std::atomic<std::uint64_t> calls = 0;      // added to the name if repeats get fresh noise
  std::mutex mutex;                          // for the members below
  std::optional<pipeline::UniqueIds> names;  // if they must not repeat
  std::optional<pipeline::Charging> price;   // once it was asked for
  // Rewriters that are not in use: their buffers are worth keeping.
  std::vector<std::unique_ptr<pipeline::Rewriter>> idle;
};

struct PrivatizerAccess {
  static std::unique_ptr<Privatizer> make(std::unique_ptr<Privatizer::Impl> impl) {
    return std::unique_ptr<Privatizer>(new Privatizer(std::move(impl)));
  }
  static Privatizer::Impl& impl(const Privatizer& privatizer) { return *privatizer.impl_; }
};

}  // namespace sotto

namespace sotto::pipeline {

/// Borrows a rewriter of a Privatizer for its own lifetime.
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

}  // namespace sotto::pipeline

namespace sotto {

struct LedgerSession::Impl {
  std::mutex mutex;  // for the settlement
  std::unique_ptr<pipeline::Settlement> settlement;
};

}  // namespace sotto
