// Where tests of draws on a device run: on the processor, or with SOTTO_TEST_DEVICE=cuda on a GPU.
#pragma once

#include <cstdlib>
#include <string_view>

namespace sotto::testing {

inline bool tested_on_gpu() {
  const char* const device = std::getenv("SOTTO_TEST_DEVICE");
  return device != nullptr && std::string_view(device) == "cuda";
}

}  // namespace sotto::testing
