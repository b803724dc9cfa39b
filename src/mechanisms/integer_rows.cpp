#include "mechanisms/integer_rows.hpp"

namespace sotto::mechanism {

Result<void> show_rows(const Mechanism& mechanism, RowVisitor& visitor) {
  const auto* const integer = dynamic_cast<const IntegerMechanism*>(&mechanism);
  if (integer == nullptr)
    return fail(Errc::invalid_argument,
                "its noise is real-valued, so there is no table of integers to certify");
  return integer->show_rows(visitor);
}

}  // namespace sotto::mechanism
