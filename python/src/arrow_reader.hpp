// The values of one Arrow array by row, whatever its type stores them as.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "arrow_abi.h"

namespace sotto::python {

/// The type or an array is not one that texts or ids can have, or contradicts itself.
struct ArrowFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads rows of a text array: utf8, large_utf8, string_view or a dictionary of them.
class ArrowTextReader {
 public:
  ArrowTextReader(const ArrowSchema& schema, const ArrowArray& array);

  /// `row` counts from the array's offset; nullopt: null. A view into the array's buffers.
  std::optional<std::string_view> operator()(std::int64_t row) const;

 private:
  std::string_view value(std::int64_t index) const;

  const ArrowArray* array_;   // of the indices, if there is a dictionary
  const ArrowArray* values_;  // the same array, or its dictionary
  char index_type_ = 0;       // 0: no dictionary
  char layout_;
};

/// The format; a type without one is refused.
std::string_view arrow_format(const ArrowSchema& schema);

/// Whether `format` is that of texts: 'u', 'U' or "vu".
bool is_text_format(std::string_view format);

/// Reads rows of an integer array as decimal numbers.
class ArrowNumberReader {
 public:
  ArrowNumberReader(const ArrowSchema& schema, const ArrowArray& array);
  std::optional<std::string> operator()(std::int64_t row) const;

 private:
  const ArrowArray* array_;
  char type_;
};

bool is_integer_format(std::string_view format);

}  // namespace sotto::python
