// The safetensors container: an 8-byte little-endian header length, a JSON header, then the tensors' bytes
// without gaps. Reading checks everything that later accesses rely on, so a damaged or hostile file is
// refused here and cannot cause an out-of-bounds access later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::base {

/// Supported element types; the container defines more.
enum class TensorType { u8, i8, i16, i32, u32, u64, boolean, i64, f16, bf16, f32, f64 };

std::size_t element_size(TensorType type);
/// As the container spells it, for example "I16".
std::string_view type_name(TensorType type);

/// A tensor inside a mapped file.
struct TensorView {
  TensorType type;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;  ///< aligned to the element size, unless parsed with Alignment::any

  /// The elements; sizeof(T) must equal the element size.
  template <class T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

using Metadata = std::map<std::string, std::string>;

/// A parsed file. The tensors point into the bytes given to parse_safetensors.
struct Safetensors {
  Metadata metadata;
  std::map<std::string, TensorView> tensors;
  std::string_view header;  ///< the JSON text

  /// The tensor of that name, or null.
  const TensorView* find(const std::string& name) const;
};

/// Third-party files need not be aligned; their readers must not call `elements` on an unaligned tensor.
enum class Alignment { required, any };

/// `name` is for messages. `file` must be aligned to 8 bytes, as mappings are.
Result<Safetensors> parse_safetensors(std::span<const std::byte> file, std::string_view name,
                                      Alignment alignment = Alignment::required);

/// The metadata key of the digest: SHA-256 of the whole file, in hexadecimal, computed with '0' in place of
/// the digest's own 64 digits.
inline constexpr std::string_view kDigestKey = "sha256";

/// Reads the whole file and compares its digest with the stored one.
Result<void> verify_digest(std::span<const std::byte> file, const Safetensors& parsed, std::string_view name);

/// Receives a tensor's bytes, in order.
using ByteSink = std::function<Result<void>(std::string_view bytes)>;

struct TensorToWrite {
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
  /// Called once; passes exactly the bytes of the tensor to the sink.
  std::function<Result<void>(const ByteSink& sink)> write;
};

/// Writes a file with these tensors in this order (larger element types first, so that all are aligned) and
/// the digest in the metadata. The file appears complete or not at all. Returns the digest.
Result<std::string> write_safetensors(const std::filesystem::path& file, Metadata metadata,
                                      const std::vector<TensorToWrite>& tensors);

template <class T>
std::string_view as_bytes(std::span<const T> elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()};
}

}  // namespace sotto::base
