#include "lm/torch/checkpoint.hpp"

#include <mutex>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// Bounds a batch's memory: some 6 MB for the widest intermediate of a model of roberta-base's size on a CPU.
constexpr std::int64_t kProcessorTokens = 512;
constexpr std::int64_t kDeviceTokens = 1 << 16;

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

}  // namespace

Runtime make_runtime(const LanguageModelResources& resources) {
  Runtime runtime;
  runtime.go_on = resources.go_on;
  if (resources.device == Device::cuda) {
    if (!at::hasCUDA())
      refuse(Errc::not_found,
             "device cuda: this libtorch finds no GPU; use the device cpu, or a libtorch with CUDA");
    // Scores may be anything, so products of fewer digits cost no privacy, and they are several times faster.
    // It is a setting of the whole program, so it must not change while another thread computes.
    static std::once_flag once;
    std::call_once(once, [] { at::globalContext().setAllowTF32CuBLAS(true); });
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

// The tensor keeps the mapping alive; unaligned numbers are copied.
at::Tensor Checkpoint::stored(const StoredTensor& entry, at::ScalarType type) {
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
  const StoredTensor& values = find_tensor(name, shape);
  if (values.view.type != base::TensorType::i8) return {};
  const StoredTensor& scales = find_tensor(name + ".scale", {shape[0]});
  const at::ScalarType type = scalar_type(scales.view.type, scales.where);
  return {stored(values, at::kChar), stored(scales, type).to(at::kFloat)};
}

at::Tensor Checkpoint::tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
  const StoredTensor& found = find_tensor(name, shape);
  if (found.view.type == base::TensorType::i8 && !shape.empty() && has(name + ".scale")) {
    const ByteRows rows = byte_rows(name, shape);
    std::vector<std::int64_t> column(shape.size(), 1);
    column[0] = shape[0];
    return rows.values.to(at::kFloat).mul_(rows.scales.reshape(column)).to(runtime_.device);
  }
  return stored(found, scalar_type(found.view.type, found.where)).to(runtime_.device, at::kFloat);
}

}  // namespace sotto::lm
