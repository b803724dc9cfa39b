#include "arrow_writer.hpp"

#include <cstring>
#include <limits>

namespace nb = nanobind;

namespace sotto::python {
namespace {

constexpr std::size_t kLargestBlock = std::numeric_limits<std::int32_t>::max();  // offsets have 32 bits
constexpr std::size_t kInlineText = 12;
constexpr std::size_t kViewSize = 16;

const char* format_of(TextLayout layout) {
  switch (layout) {
    case TextLayout::utf8:
      return "u";
    case TextLayout::large_utf8:
      return "U";
    case TextLayout::string_view:
      break;
  }
  return "vu";
}

void fill_schema(TextLayout layout, const std::string& name, ArrowSchema& schema) {
  schema = {};
  schema.format = format_of(layout);
  schema.private_data = new std::string(name);
  schema.name = static_cast<std::string*>(schema.private_data)->c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  schema.release = [](ArrowSchema* released) {
    delete static_cast<std::string*>(released->private_data);
    released->release = nullptr;
  };
}

/// Keeps the buffers alive while a consumer has the array.
struct ArrayOwner {
  std::shared_ptr<const TextChunk> chunk;
  std::vector<const void*> buffers;
};

void fill_array(TextLayout layout, const std::shared_ptr<const TextChunk>& chunk, ArrowArray& array) {
  auto owner = std::make_unique<ArrayOwner>(ArrayOwner{chunk, {}});
  owner->buffers.push_back(chunk->nulls > 0 ? chunk->validity.data() : nullptr);
  if (layout == TextLayout::utf8) owner->buffers.push_back(chunk->offsets.data());
  if (layout == TextLayout::large_utf8) owner->buffers.push_back(chunk->large_offsets.data());
  if (layout == TextLayout::string_view) owner->buffers.push_back(chunk->views.data());
  for (const std::vector<char>& block : chunk->blocks) owner->buffers.push_back(block.data());
  if (layout == TextLayout::string_view) owner->buffers.push_back(chunk->block_sizes.data());
  array = {};
  array.length = chunk->length;
  array.null_count = chunk->nulls;
  array.n_buffers = static_cast<std::int64_t>(owner->buffers.size());
  array.buffers = owner->buffers.data();
  array.private_data = owner.release();
  array.release = [](ArrowArray* released) {
    delete static_cast<ArrayOwner*>(released->private_data);
    released->release = nullptr;
  };
}

/// A capsule that releases what no consumer took.
template <class Struct>
nb::object capsule(std::unique_ptr<Struct> content, const char* name) {
  const auto free_capsule = [](PyObject* object) {
    auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    if (held->release != nullptr) held->release(held);
    delete held;
  };
  nb::object made = nb::steal(PyCapsule_New(content.get(), name, free_capsule));
  if (!made.is_valid()) throw nb::python_error();
  content.release();
  return made;
}

/// The state of a stream.
struct StreamOwner {
  std::shared_ptr<const TextChunks> texts;
  std::string name;
  std::size_t next = 0;
};

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  const auto& owner = *static_cast<StreamOwner*>(stream->private_data);
  fill_schema(owner.texts->layout(), owner.name, *out);
  return 0;
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& owner = *static_cast<StreamOwner*>(stream->private_data);
  if (owner.next == owner.texts->chunks().size())
    *out = {};
  else
    fill_array(owner.texts->layout(), owner.texts->chunks()[owner.next++], *out);
  return 0;
}

}  // namespace

void TextChunks::begin_chunk(std::size_t rows, std::size_t bytes) {
  open_ = std::make_unique<TextChunk>();
  open_->validity.reserve(rows / 8 + 1);
  if (layout_ == TextLayout::utf8) open_->offsets.reserve(rows + 1);
  if (layout_ == TextLayout::utf8) open_->offsets.push_back(0);
  if (layout_ == TextLayout::large_utf8) open_->large_offsets.reserve(rows + 1);
  if (layout_ == TextLayout::large_utf8) open_->large_offsets.push_back(0);
  if (layout_ == TextLayout::string_view) open_->views.reserve(rows * kViewSize);
  open_->blocks.emplace_back();
  open_->blocks.back().reserve(layout_ == TextLayout::large_utf8 ? bytes : std::min(bytes, kLargestBlock));
}

void TextChunks::add(std::optional<std::string_view> text) {
  const std::string_view bytes = text.value_or(std::string_view());
  if (layout_ == TextLayout::utf8 && bytes.size() > kLargestBlock - open_->blocks.back().size()) {
    end_chunk();
    begin_chunk(0, 0);
  }
  TextChunk& chunk = *open_;
  if (chunk.length % 8 == 0) chunk.validity.push_back(0);
  if (text)
    chunk.validity.back() = static_cast<std::uint8_t>(chunk.validity.back() | 1U << (chunk.length % 8));
  else
    ++chunk.nulls;
  ++chunk.length;
  if (layout_ == TextLayout::string_view)
    add_view(bytes);
  else
    add_offsets(bytes);
}

void TextChunks::add_offsets(std::string_view text) {
  std::vector<char>& block = open_->blocks.back();
  block.insert(block.end(), text.begin(), text.end());
  if (layout_ == TextLayout::utf8)
    open_->offsets.push_back(static_cast<std::int32_t>(block.size()));
  else
    open_->large_offsets.push_back(static_cast<std::int64_t>(block.size()));
}

void TextChunks::add_view(std::string_view text) {
  std::uint8_t view[kViewSize] = {};
  const auto size = static_cast<std::int32_t>(text.size());
  std::memcpy(view, &size, sizeof(size));
  if (text.size() <= kInlineText) {
    if (!text.empty()) std::memcpy(view + 4, text.data(), text.size());
  } else {
    if (text.size() > kLargestBlock - open_->blocks.back().size()) open_->blocks.emplace_back();
    std::vector<char>& block = open_->blocks.back();
    const std::int32_t place[2] = {static_cast<std::int32_t>(open_->blocks.size() - 1),
                                   static_cast<std::int32_t>(block.size())};
    block.insert(block.end(), text.begin(), text.end());
    std::memcpy(view + 4, text.data(), 4);
    std::memcpy(view + 8, place, sizeof(place));
  }
  open_->views.insert(open_->views.end(), view, view + kViewSize);
}

void TextChunks::end_chunk() {
  for (const std::vector<char>& block : open_->blocks)
    open_->block_sizes.push_back(static_cast<std::int64_t>(block.size()));
  chunks_.push_back(std::move(open_));
}

TextList as_list(const TextChunks& texts) {
  std::int64_t rows = 0;
  for (const auto& chunk : texts.chunks()) rows += chunk->length;
  const auto list = nb::steal(PyList_New(rows));
  if (!list.is_valid()) throw nb::python_error();
  Py_ssize_t next = 0;
  for (const auto& chunk : texts.chunks())
    for (std::int64_t row = 0; row < chunk->length; ++row) {
      const auto place = static_cast<std::size_t>(row);
      const bool is_null = (chunk->validity[place / 8] >> (place % 8) & 1U) == 0;
      const std::int64_t begin = chunk->large_offsets[place];
      nb::object item =
          is_null ? nb::none()
                  : nb::object(nb::str(chunk->blocks.front().data() + begin,
                                       static_cast<std::size_t>(chunk->large_offsets[place + 1] - begin)));
      PyList_SetItem(list.ptr(), next++, item.release().ptr());
    }
  return nb::borrow<TextList>(list);
}

nb::object ArrowTextsResult::schema() const {
  auto content = std::make_unique<ArrowSchema>();
  fill_schema(texts_->layout(), name_, *content);
  return capsule(std::move(content), "arrow_schema");
}

nb::object ArrowTextsResult::array() const {
  if (chunks() != 1) throw nb::value_error("the texts are in several arrays; read them as a stream");
  auto content = std::make_unique<ArrowArray>();
  fill_array(texts_->layout(), texts_->chunks().front(), *content);
  return nb::make_tuple(schema(), capsule(std::move(content), "arrow_array"));
}

nb::object ArrowTextsResult::stream() const {
  auto content = std::make_unique<ArrowArrayStream>();
  content->get_schema = stream_schema;
  content->get_next = stream_next;
  content->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  content->private_data = new StreamOwner{texts_, name_};
  content->release = [](ArrowArrayStream* released) {
    delete static_cast<StreamOwner*>(released->private_data);
    released->release = nullptr;
  };
  return capsule(std::move(content), "arrow_array_stream");
}

}  // namespace sotto::python
