// Conditions that a promise rests on. They are checked in every build: going on after one failed could
// release text that nothing covers, so the program ends, as with assert. assert, which release builds leave
// out, is for the rest: what would only be wrong, or what the inner loop of arithmetic cannot afford.
#pragma once

namespace sotto {

/// Writes one line on standard error, naming the condition and the function, and aborts.
[[noreturn, gnu::cold]] void end_after_failed_check(const char* condition, const char* function);

}  // namespace sotto

/// Ends the program unless the condition holds. For bugs of Sotto alone: what a user can cause is a Result.
#define SOTTO_CHECK(condition) \
  (static_cast<bool>(condition) ? void() : ::sotto::end_after_failed_check(#condition, __func__))
