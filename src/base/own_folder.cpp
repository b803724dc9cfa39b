#include "base/own_folder.hpp"

#include <system_error>

#include <dlfcn.h>

namespace sotto::base {

std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  std::error_code ignored;
  std::filesystem::path file = info.dli_fname;
  // For a program this is the name it was started with, which means another file in another current folder.
  if (file.is_relative()) file = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return std::filesystem::weakly_canonical(file, ignored).parent_path();
}

}  // namespace sotto::base
