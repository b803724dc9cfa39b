#include <sotto/version.hpp>

namespace sotto {

const char* library_version() {
  return kVersion;
}

}  // namespace sotto
