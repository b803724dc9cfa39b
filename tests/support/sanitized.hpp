// Whether this is a build with a sanitizer, under which code runs many times slower: what is merely large or
// often repeated is smaller there. What is tested stays the same.
#pragma once

namespace sotto::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace sotto::testing
