#include <sotto/guarantee.hpp>

namespace sotto {

const char* to_string(GuaranteeKind kind) {
  switch (kind) {
    case GuaranteeKind::certified:
      return "certified";
    case GuaranteeKind::analytic:
      return "analytic";
    case GuaranteeKind::none:
      return "none";
  }
  return "none";
}

const char* to_string(GuaranteeScope scope) {
  switch (scope) {
    case GuaranteeScope::all_inputs:
      return "all inputs";
    case GuaranteeScope::group:
      return "inside a group";
    case GuaranteeScope::sensitive_outputs:
      return "sensitive outputs";
  }
  return "all inputs";
}

}  // namespace sotto
