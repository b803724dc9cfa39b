// The entry points for libFuzzer: sotto_fuzz TARGET [libFuzzer's options and folders].
#include "fuzz.hpp"

namespace {

sotto::fuzz::TargetFunction target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  target = sotto::fuzz::chosen_target(*argc, *argv);
  // libFuzzer takes every argument that is not an option for a folder of inputs.
  std::copy(*argv + 2, *argv + *argc, *argv + 1);
  --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  target({reinterpret_cast<const char*>(data), size});
  return 0;
}
