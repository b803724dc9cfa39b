// What a document spends when it has its own budget.
#pragma once

#include <span>

#include <sotto/privatize.hpp>

#include "privacy/nano_epsilon.hpp"

namespace sotto::pipeline {

/// Returns an error unless the options name one kind of budget and what belongs to it.
Result<void> check_budget(const PrivatizeOptions& options);

/// Counts a document whose tokens have these ε, which share_budget() makes add up to at most `budget`.
void count_shares(std::span<const double> epsilons, double budget, Counts& counts);

/// The charge for the ledger: their sum, rounded up, but never more than the document's budget.
NanoEpsilon charge_for_shares(std::span<const double> epsilons, double budget);

}  // namespace sotto::pipeline
