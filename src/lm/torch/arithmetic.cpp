#include "lm/torch/arithmetic.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/hash.hpp"
#include "lm/engine/byte_matrix.hpp"
#include "lm/torch/blas.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sotto::lm {
namespace {

// Determine which kernels the libraries choose where they do not report it.
constexpr std::array kSwitches = {"ATEN_CPU_CAPABILITY",
                                  "OPENBLAS_CORETYPE",
                                  "MKL_ENABLE_INSTRUCTIONS",
                                  "MKL_CBWR",
                                  "MKL_DEBUG_CPU_TYPE",
                                  "ONEDNN_MAX_CPU_ISA",
                                  "DNNL_MAX_CPU_ISA",
                                  "ONEDNN_DEFAULT_FPMATH_MODE",
                                  "DNNL_DEFAULT_FPMATH_MODE",
                                  "NVIDIA_TF32_OVERRIDE",
                                  "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};

/// The text after `label` in libtorch's self-description, up to one of `ends`.
std::string_view told(std::string_view description, std::string_view label, const char* ends) {
  const std::size_t found = description.find(label);
  if (found == std::string_view::npos) return "unknown";
  const std::string_view rest = description.substr(found + label.size());
  return rest.substr(0, rest.find_first_of(ends));
}

/// Vendor, family and model: what libraries choose their kernels by.
std::string processor() {
#if defined(__x86_64__)
  unsigned a = 0;
  std::array<unsigned, 3> maker{};
  unsigned ignored = 0;
  __get_cpuid(0, &a, &maker[0], &maker[2], &maker[1]);
  __get_cpuid(1, &a, &ignored, &ignored, &ignored);
  constexpr unsigned kStepping = 0xF;
  return fmt::format("{} {:x}", std::string_view(reinterpret_cast<const char*>(maker.data()), sizeof maker),
                     a & ~kStepping);
#else
  return "unknown";
#endif
}

std::string onednn_instructions() {
  void* const symbol = ::dlsym(RTLD_DEFAULT, "dnnl_get_effective_cpu_isa");
  return symbol == nullptr ? "unknown" : fmt::format("{:x}", reinterpret_cast<int (*)()>(symbol)());
}

/// The name of the GPU, queried from the driver, so that building this needs no CUDA header.
std::string gpu() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return "unknown";
  const auto get = reinterpret_cast<int (*)(int*, int)>(::dlsym(driver, "cuDeviceGet"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(::dlsym(driver, "cuDeviceGetName"));
  int device = 0;
  std::array<char, 256> text{};
  if (get == nullptr || name == nullptr || get(&device, 0) != 0) return "unknown";
  if (name(text.data(), static_cast<int>(text.size()) - 1, device) != 0) return "unknown";
  return text.data();
}

}  // namespace

std::string arithmetic(const Runtime& runtime) {
  const std::string library = at::show_config();
  std::string text =
      fmt::format("libtorch {} ({}), build {:.16}", told(library, "TORCH_VERSION=", ", \n"),
                  told(library, "CPU capability usage: ", "\n"), base::to_hex(base::sha256(library)));
  const std::string& blas = loaded_blas().description;
  text += fmt::format("; BLAS {}", blas.empty() ? "on " + processor() : blas);
  text += fmt::format("; oneDNN {}", onednn_instructions());
  text += fmt::format("; {} {}", runtime.bytes ? "8-bit products" : "kernels", byte_kernel_name());
  if (!runtime.device.is_cpu()) text += fmt::format("; GPU {}, products in TF32", gpu());
  for (const char* const name : kSwitches)
    if (const char* const value = std::getenv(name); value != nullptr)
      text += fmt::format("; {}={}", name, value);
  return text;
}

}  // namespace sotto::lm
