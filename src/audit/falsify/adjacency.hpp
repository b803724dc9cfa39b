// Which texts a guarantee covers: what two of them share, and the tokens in which they may differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sotto/guarantee.hpp>
#include <sotto/policy.hpp>

#include "audit/falsify/audit_vocabulary.hpp"

namespace sotto::audit {

/// A text as a guarantee sees it.
struct TextProfile {
  std::vector<TokenId> inputs;      ///< what goes through the mechanism, ids as in AuditVocabulary
  std::vector<std::string> traits;  ///< one per requested trait; equal if the texts share it
};

/// The profile of a text under a policy, without collocations.
TextProfile profile_text(std::string_view text, const std::vector<SharedTrait>& traits, const Policy& policy,
                         const AuditVocabulary& vocabulary);

}  // namespace sotto::audit
