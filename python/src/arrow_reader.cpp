#include "arrow_reader.hpp"

#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace sotto::python {
namespace {

constexpr std::int64_t kInlineView = 12;  // bytes of a text that a view holds itself

template <class T>
T load(const void* buffer, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

/// What can be seen of an array without reading it. The sizes of most buffers are not among that.
void check_shape(const ArrowArray& array, std::int64_t buffers) {
  const bool has_rows = array.length > 0;
  if (array.length < 0 || array.offset < 0 || array.n_buffers < buffers ||
      array.offset > std::numeric_limits<std::int64_t>::max() - array.length - 1 ||
      (has_rows && (array.buffers == nullptr || array.buffers[1] == nullptr)))
    throw ArrowFailure("is an Arrow array that contradicts itself");
}

const char* data_of(const ArrowArray& array, std::int64_t buffer) {
  if (array.buffers[buffer] == nullptr) throw ArrowFailure("is an Arrow array without its buffer of texts");
  return static_cast<const char*>(array.buffers[buffer]);
}

bool is_null(const ArrowArray& array, std::int64_t index) {
  const auto* bits = static_cast<const unsigned char*>(array.buffers[0]);
  return bits != nullptr && (bits[index / 8] >> (index % 8) & 1) == 0;
}

std::int64_t load_integer(char type, const void* buffer, std::int64_t index) {
  switch (type) {
    case 'c':
      return load<std::int8_t>(buffer, index);
    case 'C':
      return load<std::uint8_t>(buffer, index);
    case 's':
      return load<std::int16_t>(buffer, index);
    case 'S':
      return load<std::uint16_t>(buffer, index);
    case 'i':
      return load<std::int32_t>(buffer, index);
    case 'I':
      return load<std::uint32_t>(buffer, index);
    default:  // 'l', 'L'
      return load<std::int64_t>(buffer, index);
  }
}

template <class Offset>
std::string_view between_offsets(const ArrowArray& array, std::int64_t index) {
  const auto begin = load<Offset>(array.buffers[1], index);
  const auto end = load<Offset>(array.buffers[1], index + 1);
  if (begin < 0 || end < begin) throw ArrowFailure("is an Arrow array whose offsets contradict each other");
  if (begin == end) return {};
  return {data_of(array, 2) + begin, static_cast<std::size_t>(end - begin)};
}

std::string_view through_view(const ArrowArray& array, std::int64_t index) {
  const char* const view = static_cast<const char*>(array.buffers[1]) + index * 16;
  const auto size = load<std::int32_t>(view, 0);
  if (size < 0) throw ArrowFailure("is an Arrow array with a text of negative length");
  if (size <= kInlineView) return {view + 4, static_cast<std::size_t>(size)};
  const auto buffer = load<std::int32_t>(view, 2);
  const auto begin = load<std::int32_t>(view, 3);
  const std::int64_t sizes = array.n_buffers - 1;  // the last buffer has those of the others
  if (buffer < 0 || buffer >= sizes - 2 || begin < 0 ||
      load<std::int64_t>(data_of(array, sizes), buffer) - begin < size)
    throw ArrowFailure("is an Arrow array whose views point nowhere");
  return {data_of(array, buffer + 2) + begin, static_cast<std::size_t>(size)};
}

char layout_of(std::string_view format) {
  return format == "vu" ? 'v' : format.front();
}

}  // namespace

std::string_view arrow_format(const ArrowSchema& schema) {
  if (schema.format == nullptr) throw ArrowFailure("has no Arrow type");
  return schema.format;
}

bool is_text_format(std::string_view format) {
  return format == "u" || format == "U" || format == "vu";
}

bool is_integer_format(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format) != std::string_view::npos;
}

ArrowTextReader::ArrowTextReader(const ArrowSchema& schema, const ArrowArray& array)
    : array_(&array), values_(&array) {
  const ArrowSchema* of_values = &schema;
  if (schema.dictionary != nullptr) {
    of_values = schema.dictionary;
    values_ = array.dictionary;
    check_shape(array, 2);
    if (values_ == nullptr) throw ArrowFailure("is an Arrow array without its dictionary");
    if (!is_integer_format(arrow_format(schema)))
      throw ArrowFailure(fmt::format("has a dictionary with indices of Arrow type '{}'", schema.format));
    index_type_ = *schema.format;
  }
  if (!is_text_format(arrow_format(*of_values)))
    throw ArrowFailure(fmt::format("has the Arrow type '{}', not that of texts", of_values->format));
  layout_ = layout_of(of_values->format);
  check_shape(*values_, 3);
}

std::optional<std::string_view> ArrowTextReader::operator()(std::int64_t row) const {
  std::int64_t index = row + array_->offset;
  if (is_null(*array_, index)) return std::nullopt;
  if (index_type_ != 0) {
    index = load_integer(index_type_, array_->buffers[1], index);
    if (index < 0 || index >= values_->length) throw ArrowFailure("has an index outside its dictionary");
    index += values_->offset;
    if (is_null(*values_, index)) return std::nullopt;
  }
  return value(index);
}

std::string_view ArrowTextReader::value(std::int64_t index) const {
  if (layout_ == 'u') return between_offsets<std::int32_t>(*values_, index);
  if (layout_ == 'U') return between_offsets<std::int64_t>(*values_, index);
  return through_view(*values_, index);
}

ArrowNumberReader::ArrowNumberReader(const ArrowSchema& schema, const ArrowArray& array)
    : array_(&array), type_(*schema.format) {
  check_shape(array, 2);
}

std::optional<std::string> ArrowNumberReader::operator()(std::int64_t row) const {
  const std::int64_t index = row + array_->offset;
  if (is_null(*array_, index)) return std::nullopt;
  const std::int64_t value = load_integer(type_, array_->buffers[1], index);
  return type_ == 'L' ? fmt::to_string(static_cast<std::uint64_t>(value)) : fmt::to_string(value);
}

}  // namespace sotto::python
