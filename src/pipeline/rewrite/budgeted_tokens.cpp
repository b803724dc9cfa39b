#include "pipeline/rewrite/budgeted_tokens.hpp"

#include <algorithm>

namespace sotto::pipeline {
namespace {

// Creating a batch costs as much as a few dozen of the cheapest draws.
constexpr std::size_t kSmallestBatch = 1024;

// Tokens of noise mechanisms take a kilobyte each, so the batches must not grow without bound.
constexpr std::size_t kMostGoodBatches = 32;

}  // namespace

BudgetedTokens::BudgetedTokens(mechanism::MechanismBank& bank, std::size_t good_batch)
    : bank_(bank), good_batch_(std::max(good_batch, kSmallestBatch)) {}

Result<void> BudgetedTokens::add(std::span<const TokenId> in, std::span<const double> epsilons,
                                 BitSource& bits) {
  const std::size_t first_run = runs_.size();
  for (std::size_t begin = 0; begin < in.size();) {
    std::size_t end = begin + 1;
    while (end < in.size() && epsilons[end] == epsilons[begin]) ++end;
    auto batch = find_batch(epsilons[begin]);
    if (!batch) {
      runs_.resize(first_run);
      return tl::unexpected(std::move(batch.error()));
    }
    runs_.push_back({*batch, end - begin});
    begin = end;
  }
  std::size_t done = 0;
  for (std::size_t r = first_run; r < runs_.size(); ++r) {
    Batch& batch = batches_[runs_[r].batch];
    batch.pending->add(in.subspan(done, runs_[r].size), bits);
    batch.size += runs_[r].size;
    done += runs_[r].size;
  }
  size_ += in.size();
  return {};
}

Result<std::size_t> BudgetedTokens::find_batch(double epsilon) {
  if (const auto known = places_.find(epsilon); known != places_.end()) return known->second;
  SOTTO_ASSIGN(std::shared_ptr<const Mechanism> mechanism, bank_.at(epsilon));
  Batch& batch = batches_.emplace_back();
  batch.mechanism = std::move(mechanism);
  batch.pending = batch.mechanism->make_pending();
  places_.emplace(epsilon, batches_.size() - 1);
  return batches_.size() - 1;
}

bool BudgetedTokens::is_full() const {
  return size_ > 0 && (batches_.size() >= bank_.most_at_once() ||
                       size_ >= good_batch_ * std::min(batches_.size(), kMostGoodBatches));
}

void BudgetedTokens::resolve(std::span<TokenId> out) {
  for (Batch& batch : batches_) {
    batch.outputs.resize(batch.size);
    batch.pending->resolve(batch.outputs);
    batch.pending.reset();
  }
  auto to = out.begin();
  for (const Run& run : runs_) {
    Batch& batch = batches_[run.batch];
    to = std::copy_n(batch.outputs.begin() + static_cast<std::ptrdiff_t>(batch.taken), run.size, to);
    batch.taken += run.size;
  }
  clear();
}

void BudgetedTokens::clear() {
  runs_.clear();
  places_.clear();
  batches_.clear();
  size_ = 0;
}

}  // namespace sotto::pipeline
