#include "base/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace sotto::base {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are mapped, and little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8;
// Headers of model files take a few kilobytes; far more means damage or an attack on memory.
constexpr std::uint64_t kLargestHeader = 16 << 20;
constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kMetadataKey = "__metadata__";

struct TypeEntry {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeEntry, 12> kTypes = {{{TensorType::u8, "U8", 1},
                                               {TensorType::i8, "I8", 1},
                                               {TensorType::i16, "I16", 2},
                                               {TensorType::i32, "I32", 4},
                                               {TensorType::u32, "U32", 4},
                                               {TensorType::u64, "U64", 8},
                                               {TensorType::boolean, "BOOL", 1},
                                               {TensorType::i64, "I64", 8},
                                               {TensorType::f16, "F16", 2},
                                               {TensorType::bf16, "BF16", 2},
                                               {TensorType::f32, "F32", 4},
                                               {TensorType::f64, "F64", 8}}};

std::string known_types() {
  std::string names;
  for (const TypeEntry& known : kTypes) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return names;
}

const TypeEntry& entry_of(TensorType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

tl::unexpected<Error> bad_file(std::string_view name, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", name, what));
}

// The product of the shape and the element size, or nothing if it overflows 64 bits.
std::optional<std::uint64_t> byte_size(const std::vector<std::uint64_t>& shape, std::size_t size) {
  std::uint64_t product = size;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  return product;
}

Result<std::string_view> header_text(std::span<const std::byte> file, std::string_view name,
                                     Alignment alignment) {
  if (file.size() < kLengthBytes) return bad_file(name, "not a safetensors file (shorter than 8 bytes)");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLargestHeader)
    return bad_file(name, fmt::format("not a safetensors file: header of {} bytes, more than {}", length,
                                      kLargestHeader));
  if (length > file.size() - kLengthBytes)
    return bad_file(name, fmt::format("truncated: header of {} bytes in a file of {}", length, file.size()));
  if (alignment == Alignment::required && length % kAlignment != 0)
    return bad_file(name, fmt::format("header of {} bytes, not a multiple of 8", length));
  return std::string_view(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
}

Result<std::vector<std::uint64_t>> unsigned_array(const nlohmann::json& entry, const char* key,
                                                  std::string_view where) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array())
    return bad_file(where, fmt::format("has no array '{}'", key));
  std::vector<std::uint64_t> values;
  for (const nlohmann::json& value : *found) {
    if (!value.is_number_unsigned())
      return bad_file(where, fmt::format("'{}' holds something other than whole numbers", key));
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

Result<TensorView> parse_tensor(const nlohmann::json& entry, std::span<const std::byte> data,
                                std::string_view where, Alignment alignment) {
  if (!entry.is_object()) return bad_file(where, "is not described by an object");
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) return bad_file(where, "has no type");
  const auto& type_text = dtype->get_ref<const std::string&>();
  const auto* const type = std::find_if(kTypes.begin(), kTypes.end(),
                                        [&](const TypeEntry& known) { return known.name == type_text; });
  if (type == kTypes.end())
    return bad_file(where, fmt::format("type '{}' is none of {}", type_text, known_types()));
  SOTTO_ASSIGN(std::vector<std::uint64_t> shape, unsigned_array(entry, "shape", where));
  SOTTO_ASSIGN(const std::vector<std::uint64_t> range, unsigned_array(entry, "data_offsets", where));
  if (range.size() != 2 || range[0] > range[1] || range[1] > data.size())
    return bad_file(where, fmt::format("data offsets lie outside the file's {} bytes of data", data.size()));
  if (alignment == Alignment::required && range[0] % type->size != 0)
    return bad_file(where, "is not aligned to its element size");
  if (byte_size(shape, type->size) != range[1] - range[0])
    return bad_file(where, fmt::format("shape and type do not make {} bytes", range[1] - range[0]));
  return TensorView{type->type, std::move(shape), data.subspan(range[0], range[1] - range[0])};
}

Result<Metadata> parse_metadata(const nlohmann::json& entry, std::string_view name) {
  Metadata metadata;
  if (!entry.is_object()) return bad_file(name, "__metadata__ is not an object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) return bad_file(name, fmt::format("metadata '{}' is not a string", key));
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

// The format requires that the tensors cover the data exactly.
Result<void> check_coverage(const Safetensors& parsed, std::span<const std::byte> data,
                            std::string_view name) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [key, tensor] : parsed.tensors) {
    const auto begin = static_cast<std::size_t>(tensor.bytes.data() - data.data());
    ranges.emplace_back(begin, begin + tensor.bytes.size());
  }
  std::sort(ranges.begin(), ranges.end());
  std::size_t position = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin < position) return bad_file(name, fmt::format("two tensors overlap at data byte {}", begin));
    if (begin > position)
      return bad_file(name, fmt::format("a gap between tensors at data byte {}", position));
    position = end;
  }
  if (position != data.size())
    return bad_file(name, fmt::format("{} bytes of data, but the tensors take {}", data.size(), position));
  return {};
}

// The position of the digest's digits in the file. They must occur exactly once, otherwise it would be
// ambiguous which to blank.
Result<std::size_t> digest_position(std::string_view header, std::string_view digest, std::string_view name) {
  const std::string quoted = fmt::format("\"{}\"", digest);
  const std::size_t found = header.find(quoted);
  if (digest.size() != kDigestDigits || found == std::string_view::npos ||
      header.find(quoted, found + 1) != std::string_view::npos)
    return bad_file(name, "the header does not hold exactly one SHA-256");
  return kLengthBytes + found + 1;
}

}  // namespace

std::size_t element_size(TensorType type) {
  return entry_of(type).size;
}

std::string_view type_name(TensorType type) {
  return entry_of(type).name;
}

const TensorView* Safetensors::find(const std::string& name) const {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

Result<Safetensors> parse_safetensors(std::span<const std::byte> file, std::string_view name,
                                      Alignment alignment) {
  Safetensors parsed;
  SOTTO_ASSIGN(parsed.header, header_text(file, name, alignment));
  const std::span<const std::byte> data = file.subspan(kLengthBytes + parsed.header.size());
  const auto json = parse_json(parsed.header);
  if (!json.is_object()) return bad_file(name, "not a safetensors file: the header is not a JSON object");
  for (const auto& [key, entry] : json.items()) {
    if (key == kMetadataKey) {
      SOTTO_ASSIGN(parsed.metadata, parse_metadata(entry, name));
      continue;
    }
    SOTTO_ASSIGN(TensorView tensor,
                 parse_tensor(entry, data, fmt::format("{}, tensor '{}'", name, key), alignment));
    parsed.tensors.emplace(key, std::move(tensor));
  }
  SOTTO_TRY(check_coverage(parsed, data, name));
  return parsed;
}

Result<void> verify_digest(std::span<const std::byte> file, const Safetensors& parsed,
                           std::string_view name) {
  const auto stored = parsed.metadata.find(std::string(kDigestKey));
  if (stored == parsed.metadata.end()) return bad_file(name, "the header holds no SHA-256");
  SOTTO_ASSIGN(const std::size_t position, digest_position(parsed.header, stored->second, name));
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  Sha256 hash;
  hash.update(bytes.substr(0, position));
  hash.update(std::string(kDigestDigits, '0'));
  hash.update(bytes.substr(position + kDigestDigits));
  const std::string computed = to_hex(hash.finish());
  if (computed != stored->second)
    return bad_file(name,
                    fmt::format("damaged: its SHA-256 is {}, the stored one {}", computed, stored->second));
  return {};
}

namespace {

std::string make_header(const Metadata& metadata, const std::vector<TensorToWrite>& tensors) {
  nlohmann::ordered_json json;
  json[std::string(kMetadataKey)] = metadata;
  std::uint64_t position = 0;
  for (const TensorToWrite& tensor : tensors) {
    SOTTO_CHECK(position % element_size(tensor.type) == 0);
    const std::uint64_t end = position + byte_size(tensor.shape, element_size(tensor.type)).value();
    json[tensor.name] = {
        {"dtype", type_name(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {position, end}}};
    position = end;
  }
  // Invalid UTF-8 must not throw: callers check user input.
  std::string header = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return header;
}

// Hashes and writes in large chunks.
class HashingWriter {
 public:
  explicit HashingWriter(AtomicFile& file) : file_(file) {}

  Result<void> write(std::string_view bytes) {
    size_ += bytes.size();
    buffer_.append(bytes);
    return buffer_.size() >= kBuffer ? flush() : Result<void>();
  }
  Result<void> flush() {
    hash_.update(buffer_);
    SOTTO_TRY(file_.write(buffer_));
    buffer_.clear();
    return {};
  }
  std::uint64_t size() const { return size_; }
  Sha256Digest finish() { return hash_.finish(); }

 private:
  static constexpr std::size_t kBuffer = 1 << 20;
  AtomicFile& file_;
  Sha256 hash_;
  std::string buffer_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<std::string> write_safetensors(const std::filesystem::path& file, Metadata metadata,
                                      const std::vector<TensorToWrite>& tensors) {
  metadata[std::string(kDigestKey)] = std::string(kDigestDigits, '0');
  const std::string header = make_header(metadata, tensors);
  SOTTO_ASSIGN(const std::size_t position,
               digest_position(header, metadata[std::string(kDigestKey)], file.string()));
  SOTTO_TRY(check_uncompressed("output", file, "a model or phrase table"));
  SOTTO_ASSIGN(AtomicFile output, AtomicFile::create(file));
  HashingWriter writer(output);
  const std::uint64_t length = header.size();
  SOTTO_TRY(writer.write(as_bytes(std::span(&length, 1))));
  SOTTO_TRY(writer.write(header));
  for (const TensorToWrite& tensor : tensors) {
    const std::uint64_t before = writer.size();
    SOTTO_TRY(tensor.write([&](std::string_view bytes) { return writer.write(bytes); }));
    SOTTO_CHECK(writer.size() - before == byte_size(tensor.shape, element_size(tensor.type)));
  }
  SOTTO_TRY(writer.flush());
  std::string digest = to_hex(writer.finish());
  if (::lseek(output.descriptor(), static_cast<off_t>(position), SEEK_SET) < 0)
    return fail(Errc::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
  SOTTO_TRY(output.write(digest));
  SOTTO_TRY(output.commit());
  return digest;
}

}  // namespace sotto::base
