#include "lm/checkpoint_files.hpp"

#include <cstring>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string where_is(const std::string& file_name, const std::string& name) {
  return fmt::format("{}, tensor '{}'", file_name, name);
}

template <class Number>
std::vector<Number> elements_of(const StoredTensor& tensor, base::TensorType type) {
  if (tensor.view.type != type)
    refuse(Errc::bad_format, fmt::format("{} has type {}; {} is allowed", tensor.where,
                                         base::type_name(tensor.view.type), base::type_name(type)));
  std::vector<Number> elements(tensor.view.bytes.size() / sizeof(Number));
  std::memcpy(elements.data(), tensor.view.bytes.data(), tensor.view.bytes.size());
  return elements;
}

}  // namespace

CheckpointFiles::CheckpointFiles(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    refuse(Errc::not_found,
           fmt::format("{}: not a folder; a language model is a folder with config.json and {}",
                       folder.string(), kWhole));
  config_ = Config::read(folder / "config.json");
  if (std::filesystem::exists(folder / kIndex, ignored) && !std::filesystem::exists(folder / kWhole, ignored))
    map_shards();
  else
    map_file(kWhole);
}

void CheckpointFiles::map_shards() {
  const Config index = Config::read(folder_ / kIndex);
  const auto map = index.json().find("weight_map");
  if (map == index.json().end() || !map->is_object()) index.refuse_value("weight_map", "an object");
  std::set<std::string> files;
  for (const auto& [name, file] : map->items()) {
    // A plain name, because an index must not point outside its folder, with the suffix by which the folder's
    // digest recognizes weights.
    if (!file.is_string() || file.get<std::string>().find('/') != std::string::npos ||
        !file.get<std::string>().ends_with(".safetensors"))
      refuse(Errc::bad_format, fmt::format("{}: tensor '{}' is not in a file *.safetensors of this folder",
                                           index.name(), name));
    files.insert(file.get<std::string>());
  }
  for (const std::string& file : files) map_file(file);
  for (const auto& [name, file] : map->items())
    if (!has(name))
      refuse(Errc::bad_format,
             fmt::format("{}: tensor '{}' is not in {}", index.name(), name, file.get<std::string>()));
}

void CheckpointFiles::map_file(const std::string& file_name) {
  const std::string name = (folder_ / file_name).string();
  const auto file = std::make_shared<const base::MappedFile>(unwrap(base::MappedFile::open(name)));
  base::Safetensors parsed = unwrap(base::parse_safetensors(file->bytes(), name, base::Alignment::any));
  for (auto& [key, view] : parsed.tensors)
    if (!tensors_.emplace(key, StoredTensor{std::move(view), file, where_is(name, key)}).second)
      refuse(Errc::bad_format, fmt::format("{} is in another file of the folder too", where_is(name, key)));
}

void CheckpointFiles::release_pages() const {
  for (const auto& [name, entry] : tensors_) {
    const std::span<const std::byte> bytes = entry.file->bytes();
    ::madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_DONTNEED);
  }
}

void CheckpointFiles::release_pages(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return;
  const std::span<const std::byte> bytes = found->second.view.bytes;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t skipped = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
  if (bytes.size() < skipped + page) return;
  auto* const begin = const_cast<std::byte*>(bytes.data()) + skipped;
  ::madvise(begin, (bytes.size() - skipped) / page * page, MADV_DONTNEED);
}

std::vector<float> CheckpointFiles::floats(const std::string& name,
                                           const std::vector<std::int64_t>& shape) const {
  return elements_of<float>(find_tensor(name, shape), base::TensorType::f32);
}

std::vector<std::int32_t> CheckpointFiles::integers(const std::string& name,
                                                    const std::vector<std::int64_t>& shape) const {
  return elements_of<std::int32_t>(find_tensor(name, shape), base::TensorType::i32);
}

const StoredTensor& CheckpointFiles::find_tensor(const std::string& name,
                                                 const std::vector<std::int64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    refuse(Errc::bad_format, fmt::format("{}: there is no tensor '{}'; expected with the shape {}",
                                         folder_.string(), name, shape_text(shape)));
  const std::vector<std::int64_t> stored(found->second.view.shape.begin(), found->second.view.shape.end());
  if (stored != shape)
    refuse(Errc::bad_format, fmt::format("{} has the shape {}; config.json makes it {}", found->second.where,
                                         shape_text(stored), shape_text(shape)));
  return found->second;
}

}  // namespace sotto::lm
