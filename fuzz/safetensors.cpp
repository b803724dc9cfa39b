// The container of models, list sets, phrase tables and checkpoints.
#include "base/safetensors.hpp"

#include "base/file.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

void check(std::span<const std::byte> file, base::Alignment alignment) {
  const auto parsed = base::parse_safetensors(file, "file", alignment);
  if (!parsed) return;
  std::size_t bytes = 8 + parsed->header.size();
  for (const auto& [name, tensor] : parsed->tensors) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : tensor.shape) elements *= extent;
    require(tensor.bytes.size() == elements * base::element_size(tensor.type),
            "a tensor has the size of its shape");
    require(tensor.bytes.empty() || (tensor.bytes.data() >= file.data() &&
                                     tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size()),
            "a tensor lies inside the file");
    require(alignment == base::Alignment::any ||
                reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % base::element_size(tensor.type) == 0,
            "a tensor is aligned");
    bytes += tensor.bytes.size();
  }
  require(bytes == file.size(), "header and tensors are the whole file");
  (void)base::verify_digest(file, *parsed, "file");
}

}  // namespace

SOTTO_FUZZ_TARGET(safetensors) {
  const auto mapped = base::MappedFile::open(fuzz::write_scratch("file.safetensors", input));
  if (!mapped) return;
  check(mapped->bytes(), base::Alignment::required);
  check(mapped->bytes(), base::Alignment::any);
}
