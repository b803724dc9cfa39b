// A column of texts that Python holds, read without copying it: a list of str, or anything that exports Arrow
// arrays (PyCapsule protocol).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

namespace sotto::python {

/// The Arrow type that texts have: 32-bit offsets, 64-bit offsets, or views.
enum class TextLayout { utf8, large_utf8, string_view };

/// Texts by row; a row without one is null. Views into it live as long as the column. Reading needs no GIL.
class TextColumn {
 public:
  virtual ~TextColumn() = default;

  std::size_t size() const { return rows_.size(); }
  /// nullopt: null.
  std::optional<std::string_view> operator[](std::size_t row) const { return rows_[row]; }
  const std::vector<std::optional<std::string_view>>& rows() const { return rows_; }

 protected:
  std::vector<std::optional<std::string_view>> rows_;
};

/// A column that came as Arrow arrays, with what an answer of the same kind needs.
struct ArrowTexts {
  std::unique_ptr<TextColumn> column;
  TextLayout layout = TextLayout::utf8;
  std::vector<std::size_t> chunk_lengths;
  std::string name;  ///< of the field
};

/// The UTF-8 of a str, which keeps it. A lone surrogate is a ValueError about `what`, or row `row` of it.
std::string_view utf8(nanobind::handle text, std::string_view what, std::optional<std::size_t> row = {});

/// `what` names the argument in errors. In a list, None is null; anything but str and None is a TypeError.
std::unique_ptr<TextColumn> read_list(nanobind::handle list, const char* what);

/// Whether an object exports Arrow arrays.
bool exports_arrow(nanobind::handle object);

/// Reads all chunks. The type must be utf8, large_utf8, string_view, or a dictionary of one of them; a table
/// must have one column.
ArrowTexts read_arrow(nanobind::handle object, const char* what);

/// Ids and subjects: a list of str and int, or an Arrow column of texts or integers. No row may be null.
std::unique_ptr<TextColumn> read_names(nanobind::handle object, const char* what);

}  // namespace sotto::python
