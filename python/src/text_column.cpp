#include "text_column.hpp"

#include <deque>
#include <utility>

#include <fmt/format.h>

#include "arrow_abi.h"
#include "arrow_reader.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The type's name as Python prints it.
std::string type_of(nb::handle object) {
  return nb::cast<std::string>(nb::object(object.type().attr("__name__")));
}

/// Owns a struct of the C interface and releases it.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
  Struct value = {};
};

/// Moves the content out of a capsule, as the protocol asks of consumers.
template <class Struct>
void take_capsule(nb::handle capsule, const char* name, Struct& into) {
  auto* const content = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (content == nullptr) throw nb::python_error();
  if (content->release == nullptr) throw ArrowFailure("was consumed before");
  into = std::exchange(*content, Struct{});
}

/// Releases what it has with the GIL held, because the producer may be Python.
class ArrowColumn final : public TextColumn {
 public:
  void read(nb::handle object) {
    if (nb::hasattr(object, "__arrow_c_array__")) {
      const nb::object pair = object.attr("__arrow_c_array__")();
      take_capsule(nb::object(pair[0]), "arrow_schema", schema_.value);
      take_capsule(nb::object(pair[1]), "arrow_array", chunks_.emplace_back().value);
      return;
    }
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    Owned<ArrowArrayStream> stream;
    take_capsule(capsule, "arrow_array_stream", stream.value);
    check(stream.value, stream.value.get_schema(&stream.value, &schema_.value));
    while (true) {
      Owned<ArrowArray>& chunk = chunks_.emplace_back();
      check(stream.value, stream.value.get_next(&stream.value, &chunk.value));
      if (chunk.value.release == nullptr) break;
    }
    chunks_.pop_back();
  }

  void add_rows(ArrowTexts& texts, bool numbers) {
    if (schema_.value.release == nullptr) throw ArrowFailure("has an Arrow type that was released");
    const ArrowSchema& schema = column_schema();
    texts.name = schema.name == nullptr ? "" : schema.name;
    const std::string_view format = arrow_format(schema.dictionary == nullptr ? schema : *schema.dictionary);
    texts.layout = format == "U"    ? TextLayout::large_utf8
                   : format == "vu" ? TextLayout::string_view
                                    : TextLayout::utf8;
    for (const Owned<ArrowArray>& chunk : chunks_) {
      const ArrowArray& array = column_array(chunk.value);
      if (chunk.value.length < 0) throw ArrowFailure("is an Arrow array of negative length");
      const std::int64_t first = is_table() ? chunk.value.offset : 0;
      texts.chunk_lengths.push_back(static_cast<std::size_t>(chunk.value.length));
      rows_.reserve(rows_.size() + texts.chunk_lengths.back());
      if (numbers && schema.dictionary == nullptr && is_integer_format(format)) {
        const ArrowNumberReader read(schema, array);
        for (std::int64_t row = 0; row < chunk.value.length; ++row) add_number(read(first + row));
      } else {
        const ArrowTextReader read(schema, array);
        for (std::int64_t row = 0; row < chunk.value.length; ++row) rows_.push_back(read(first + row));
      }
    }
  }

 private:
  static void check(ArrowArrayStream& stream, int status) {
    if (status == 0) return;
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    const char* const reason = stream.get_last_error(&stream);
    throw ArrowFailure(fmt::format("cannot be read: {}", reason == nullptr ? "unknown reason" : reason));
  }

  bool is_table() const { return arrow_format(schema_.value) == "+s"; }

  const ArrowSchema& column_schema() const {
    if (!is_table()) return schema_.value;
    if (schema_.value.n_children != 1 || schema_.value.children == nullptr)
      throw ArrowFailure(
          fmt::format("is a table with {} columns; give one of them", schema_.value.n_children));
    return *schema_.value.children[0];
  }

  const ArrowArray& column_array(const ArrowArray& array) const {
    if (!is_table()) return array;
    if (array.length < 0 || array.offset < 0 || array.n_children != 1 || array.children == nullptr ||
        array.children[0]->length - array.offset < array.length)
      throw ArrowFailure("is an Arrow table that contradicts itself");
    if (array.n_buffers > 0 && array.buffers[0] != nullptr && array.null_count != 0)
      throw ArrowFailure("is a table with rows that are null as a whole");
    return *array.children[0];
  }

  void add_number(std::optional<std::string> number) {
    if (!number) {
      rows_.emplace_back(std::nullopt);
      return;
    }
    rows_.emplace_back(numbers_.emplace_back(std::move(*number)));
  }

  Owned<ArrowSchema> schema_;
  std::deque<Owned<ArrowArray>> chunks_;
  std::deque<std::string> numbers_;
};

/// Holds a reference to each text, so that nobody can free one while it is read without the GIL.
class ListColumn final : public TextColumn {
 public:
  explicit ListColumn(nb::handle list) : items_(nb::steal<nb::tuple>(PySequence_Tuple(list.ptr()))) {
    if (!items_.is_valid()) throw nb::python_error();
    rows_.reserve(items_.size());
  }

  void add_texts(const char* what) {
    for (std::size_t row = 0; row < items_.size(); ++row) {
      const nb::handle item = items_[row];
      if (item.is_none())
        rows_.emplace_back(std::nullopt);
      else if (PyUnicode_Check(item.ptr()))
        rows_.emplace_back(utf8(item, what, row));
      else
        raise_type_error(fmt::format("{}[{}] is {}; give str or None", what, row, type_of(item)));
    }
  }

  void add_names(const char* what) {
    for (std::size_t row = 0; row < items_.size(); ++row) {
      const nb::handle item = items_[row];
      if (item.is_none())
        raise_value_error(fmt::format("{}[{}] is missing", what, row));
      else if (PyUnicode_Check(item.ptr()))
        rows_.emplace_back(utf8(item, what, row));
      else if (PyIndex_Check(item.ptr()) && !PyBool_Check(item.ptr()))
        rows_.emplace_back(numbers_.emplace_back(decimal(item)));
      else
        raise_type_error(fmt::format("{}[{}] is {}; give str or int", what, row, type_of(item)));
    }
  }

 private:
  static std::string decimal(nb::handle number) {
    const auto index = nb::steal(PyNumber_Index(number.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    return nb::cast<std::string>(nb::str(index));
  }

  nb::tuple items_;
  std::deque<std::string> numbers_;
};

ArrowTexts read_chunks(nb::handle object, const char* what, bool numbers) {
  ArrowTexts texts;
  auto column = std::make_unique<ArrowColumn>();
  try {
    column->read(object);
    column->add_rows(texts, numbers);
  } catch (const ArrowFailure& failure) {
    raise_type_error(fmt::format("{} {}", what, failure.what()));
  }
  texts.column = std::move(column);
  return texts;
}

}  // namespace

std::string_view utf8(nb::handle text, std::string_view what, std::optional<std::size_t> row) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data != nullptr) return {data, static_cast<std::size_t>(size)};
  if (PyErr_ExceptionMatches(PyExc_UnicodeError) == 0) throw nb::python_error();
  PyErr_Clear();
  raise_value_error(fmt::format("{}{}: holds a lone surrogate, which is not text and has no UTF-8", what,
                                row ? fmt::format("[{}]", *row) : ""));
}

std::unique_ptr<TextColumn> read_list(nb::handle list, const char* what) {
  auto column = std::make_unique<ListColumn>(list);
  column->add_texts(what);
  return column;
}

bool exports_arrow(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "__arrow_c_stream__");
}

ArrowTexts read_arrow(nb::handle object, const char* what) {
  return read_chunks(object, what, false);
}

std::unique_ptr<TextColumn> read_names(nb::handle object, const char* what) {
  if (!exports_arrow(object)) {
    if (PyUnicode_Check(object.ptr()))
      raise_type_error(fmt::format("{} is str; give one for each text", what));
    auto column = std::make_unique<ListColumn>(object);
    column->add_names(what);
    return column;
  }
  auto column = read_chunks(object, what, true).column;
  for (std::size_t row = 0; row < column->size(); ++row)
    if (!(*column)[row]) raise_value_error(fmt::format("{}[{}] is missing", what, row));
  return column;
}

}  // namespace sotto::python
