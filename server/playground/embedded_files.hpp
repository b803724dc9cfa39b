// The files of web/, which cmake/SottoEmbed.cmake puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace sotto::server {

struct EmbeddedFile {
  std::string_view name;  ///< relative to web/
  std::string_view content_type;
  std::string_view etag;  ///< strong, with its quotes: a digest of the content
  std::string_view content;
};

/// All of them, sorted by name. Thread-safe.
std::span<const EmbeddedFile> embedded_files();

/// The one of this name, or nullptr. Thread-safe.
const EmbeddedFile* find_embedded_file(std::string_view name);

}  // namespace sotto::server
