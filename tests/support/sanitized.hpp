// Whether this is a sanitizer build, in which code runs many times slower: large or repetitive tests are
// scaled down there. What is tested stays the same.
#pragma once

namespace sotto::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace sotto::testing
