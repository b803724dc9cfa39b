// What a ledger charges for the documents of a configuration.
#pragma once

#include <string>

#include "pipeline/rewrite/rewrite_context.hpp"
#include "privacy/nano_epsilon.hpp"

namespace sotto::pipeline {

struct Charging {
  std::string unit;          ///< of the account
  privacy::Decimal epsilon;  ///< per token
};

/// Returns an error unless all spending under these options can be accounted for, and repeats be known.
Result<void> check_chargeable(const PrivatizeOptions& options);

/// Returns an error if the guarantee does not bound what an account would have to hold.
Result<Charging> charging_of(const RewriteContext& context);

}  // namespace sotto::pipeline
