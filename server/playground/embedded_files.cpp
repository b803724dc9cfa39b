#include "playground/embedded_files.hpp"

#include <algorithm>

namespace sotto::server {

const EmbeddedFile* find_embedded_file(std::string_view name) {
  const auto files = embedded_files();
  const auto found = std::ranges::lower_bound(files, name, {}, &EmbeddedFile::name);
  return found != files.end() && found->name == name ? &*found : nullptr;
}

}  // namespace sotto::server
