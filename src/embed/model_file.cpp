#include "embed/model_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

namespace sotto::embed {
namespace {

template <class T>
base::TensorToWrite whole_tensor(std::string name, base::TensorType type, std::vector<std::uint64_t> shape,
                                 std::span<const T> elements) {
  return {std::move(name), type, std::move(shape),
          [elements](const base::ByteSink& sink) { return sink(base::as_bytes(elements)); }};
}

}  // namespace

bool is_reserved_metadata(std::string_view key) {
  return key == kFormatKey || key == kVersionKey || key == kScaleKey || key == kListSourcesKey ||
         key == base::kDigestKey || key == kPhrasesKey;
}

Result<base::Metadata> check_metadata(const std::vector<std::pair<std::string, std::string>>& given) {
  base::Metadata metadata;
  for (const auto& [key, value] : given) {
    if (key.empty()) return fail_parameter("metadata", "", "a key is empty");
    if (!is_valid_utf8(key) || !is_valid_utf8(value))
      return fail_parameter("metadata", "", "a key or value is not UTF-8");
    if (is_reserved_metadata(key) || key == kListDigestsKey)
      return fail_parameter("metadata", key, fmt::format("the key '{}' is used by the format itself", key));
    if (!metadata.emplace(key, value).second)
      return fail_parameter("metadata", key, fmt::format("the key '{}' is given twice", key));
  }
  return metadata;
}

Result<std::string> write_model(const std::filesystem::path& file, const ModelParts& parts) {
  base::Metadata metadata = parts.metadata;
  metadata.insert_or_assign(std::string(kFormatKey), std::string(kFormatName));
  metadata.insert_or_assign(std::string(kVersionKey), std::string(kFormatVersion));
  const std::uint64_t size = parts.offsets.size() - 1;
  std::vector<base::TensorToWrite> tensors;
  tensors.push_back(whole_tensor("offsets", base::TensorType::u64, {size + 1}, std::span(parts.offsets)));
  if (!parts.counts.empty())
    tensors.push_back(whole_tensor("counts", base::TensorType::u64, {size}, parts.counts));
  if (!parts.lists.empty()) {
    const auto write_lists = [&](const base::ByteSink& sink) -> Result<void> {
      for (const auto& list : parts.lists) SOTTO_TRY(sink(base::as_bytes(std::span(list))));
      return {};
    };
    tensors.push_back({"lists", base::TensorType::u32, {parts.lists.size(), size}, write_lists});
  }
  if (parts.dimension > 0) {
    metadata.insert_or_assign(std::string(kScaleKey), fmt::format("{}", parts.scale));
    const base::TensorType type = parts.bits == 8 ? base::TensorType::i8 : base::TensorType::i16;
    tensors.push_back({"vectors", type, {size, parts.dimension}, parts.write_vectors});
  }
  tensors.push_back(whole_tensor("words", base::TensorType::u8, {parts.words.size()},
                                 std::span<const char>(parts.words.data(), parts.words.size())));
  tensors.insert(tensors.end(), parts.further.begin(), parts.further.end());
  // By element size, largest first, so that no tensor needs padding, which the container forbids.
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const base::TensorToWrite& a, const base::TensorToWrite& b) {
                     return base::element_size(a.type) > base::element_size(b.type);
                   });
  return base::write_safetensors(file, std::move(metadata), tensors);
}

}  // namespace sotto::embed
