// Conditions that a guarantee rests on. They are checked in every build: continuing after a failure could
// release text that no guarantee covers, so the program aborts, as with assert. assert itself, which release
// builds drop, is for everything else: results that would merely be wrong, and inner loops of arithmetic that
// cannot afford the check.
#pragma once

namespace sotto::base {

/// Writes one line to standard error, naming the condition and the function, and aborts.
[[noreturn, gnu::cold]] void end_after_failed_check(const char* condition, const char* function);

}  // namespace sotto::base

/// Aborts unless the condition holds. For bugs in Sotto only: whatever a user can cause is a Result.
#define SOTTO_CHECK(condition) \
  (static_cast<bool>(condition) ? void() : ::sotto::base::end_after_failed_check(#condition, __func__))
