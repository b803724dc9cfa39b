// How many fields an aggregate has: a test that states the number fails when a field is added.
#pragma once

#include <cstddef>
#include <utility>

namespace sotto::testing {

struct AnyField {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): it stands for a value of any type
};

template <class T, std::size_t... Index>
constexpr bool takes_fields(std::index_sequence<Index...>) {
  return requires {
    T{(static_cast<void>(Index), AnyField())...};
  };
}

template <class T, std::size_t Count = 0>
constexpr std::size_t field_count() {
  if constexpr (takes_fields<T>(std::make_index_sequence<Count + 1>()))
    return field_count<T, Count + 1>();
  else
    return Count;
}

}  // namespace sotto::testing
