// What a document spends when it has a budget of its own.
#pragma once

#include <span>

#include <sotto/privatize.hpp>

#include "privacy/nano_epsilon.hpp"

namespace sotto {

/// An error unless the options name one kind of budget and what goes with it.
Result<void> check_budget(const PrivatizeOptions& options);

/// Counts a document whose tokens have these ε, which by share_budget() add up to at most `budget`.
void count_shares(std::span<const double> epsilons, double budget, Counts& counts);

/// What the ledger is charged: their sum, rounded up, and never more than the document's budget.
NanoEpsilon charge_for_shares(std::span<const double> epsilons, double budget);

}  // namespace sotto
