#include "lm/torch/checkpoint.hpp"

#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/parallel.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
// Bounds a batch's memory: some 6 MB for the widest intermediate of a model of roberta-base's size on a CPU.
constexpr std::int64_t kProcessorTokens = 512;
constexpr std::int64_t kDeviceTokens = 1 << 16;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

at::ScalarType scalar_type(base::TensorType type, const std::string& where) {
  switch (type) {
    case base::TensorType::f32:
      return at::kFloat;
    case base::TensorType::f16:
      return at::kHalf;
    case base::TensorType::bf16:
      return at::kBFloat16;
    case base::TensorType::f64:
      return at::kDouble;
    default:
      break;
  }
  refuse(Errc::bad_format,
         fmt::format("{} has type {}; F32, F16, BF16, F64, or I8 with a tensor of scales are "
                     "allowed",
                     where, base::type_name(type)));
}

std::string where_is(const std::string& file_name, const std::string& name) {
  return fmt::format("{}, tensor '{}'", file_name, name);
}

}  // namespace

Runtime make_runtime(const LanguageModelResources& resources) {
  Runtime runtime;
  runtime.go_on = resources.go_on;
  if (resources.device == Device::cuda) {
    if (!at::hasCUDA())
      refuse(Errc::not_found,
             "device cuda: this libtorch finds no GPU; use the device cpu, or a libtorch with CUDA");
    runtime.device = at::Device(at::kCUDA);
    runtime.batch_tokens = kDeviceTokens;
    return runtime;
  }
  runtime.threads = loaded_blas().shareable ? base::thread_count(resources.threads) : 1;
  runtime.batch_tokens = kProcessorTokens;
  runtime.bytes = resources.precision == Precision::int8;
  return runtime;
}

void check_stop(const Runtime& runtime) {
  if (runtime.go_on && !runtime.go_on()) refuse(Errc::interrupted, "interrupted");
}

Checkpoint::Checkpoint(const std::filesystem::path& folder, Runtime runtime)
    : folder_(folder), runtime_(std::move(runtime)) {
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

void Checkpoint::map_shards() {
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

void Checkpoint::map_file(const std::string& file_name) {
  const std::string name = (folder_ / file_name).string();
  const auto file = std::make_shared<const base::MappedFile>(unwrap(base::MappedFile::open(name)));
  base::Safetensors parsed = unwrap(base::parse_safetensors(file->bytes(), name, base::Alignment::any));
  for (auto& [key, view] : parsed.tensors)
    if (!tensors_.emplace(key, Entry{std::move(view), file, name}).second)
      refuse(Errc::bad_format, fmt::format("{} is in another file of the folder too", where_is(name, key)));
}

void Checkpoint::release_pages() const {
  for (const auto& [name, entry] : tensors_) {
    const std::span<const std::byte> bytes = entry.file->bytes();
    ::madvise(const_cast<std::byte*>(bytes.data()), bytes.size(), MADV_DONTNEED);
  }
}

void Checkpoint::release_pages(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return;
  const std::span<const std::byte> bytes = found->second.view.bytes;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t skipped = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
  if (bytes.size() < skipped + page) return;
  auto* const begin = const_cast<std::byte*>(bytes.data()) + skipped;
  ::madvise(begin, (bytes.size() - skipped) / page * page, MADV_DONTNEED);
}

const Checkpoint::Entry& Checkpoint::entry(const std::string& name,
                                           const std::vector<std::int64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end())
    refuse(Errc::bad_format, fmt::format("{}: there is no tensor '{}'; expected with the shape {}",
                                         folder_.string(), name, shape_text(shape)));
  const std::vector<std::int64_t> stored(found->second.view.shape.begin(), found->second.view.shape.end());
  if (stored != shape)
    refuse(Errc::bad_format,
           fmt::format("{} has the shape {}; config.json makes it {}",
                       where_is(found->second.file_name, name), shape_text(stored), shape_text(shape)));
  return found->second;
}

// The tensor keeps the mapping alive; unaligned numbers are copied.
at::Tensor Checkpoint::stored(const Entry& entry, at::ScalarType type) {
  const std::vector<std::int64_t> shape(entry.view.shape.begin(), entry.view.shape.end());
  void* const data = const_cast<std::byte*>(entry.view.bytes.data());
  if (reinterpret_cast<std::uintptr_t>(data) % base::element_size(entry.view.type) != 0) {
    at::Tensor copy = at::empty(shape, type);
    std::copy(entry.view.bytes.begin(), entry.view.bytes.end(), static_cast<std::byte*>(copy.data_ptr()));
    return copy;
  }
  return at::from_blob(
      data, shape, [file = entry.file](void*) {}, at::TensorOptions(type));
}

ByteRows Checkpoint::byte_rows(const std::string& name, const std::vector<std::int64_t>& shape) const {
  const Entry& values = entry(name, shape);
  if (values.view.type != base::TensorType::i8) return {};
  const Entry& scales = entry(name + ".scale", {shape[0]});
  const at::ScalarType type = scalar_type(scales.view.type, where_is(scales.file_name, name + ".scale"));
  return {stored(values, at::kChar), stored(scales, type).to(at::kFloat)};
}

at::Tensor Checkpoint::tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
  const Entry& found = entry(name, shape);
  if (found.view.type == base::TensorType::i8 && !shape.empty() && has(name + ".scale")) {
    const ByteRows rows = byte_rows(name, shape);
    std::vector<std::int64_t> column(shape.size(), 1);
    column[0] = shape[0];
    return rows.values.to(at::kFloat).mul_(rows.scales.reshape(column)).to(runtime_.device);
  }
  return stored(found, scalar_type(found.view.type, where_is(found.file_name, name)))
      .to(runtime_.device, at::kFloat);
}

}  // namespace sotto::lm
