#include <filesystem>

#include <sotto/input_encoding.hpp>

#include "base/compressed_input.hpp"
#include "text/encoding_guess.hpp"

namespace sotto {
namespace {

Result<std::string> beginning_of(const std::filesystem::path& file) {
  SOTTO_ASSIGN(const auto stream, base::InputStream::open(file));
  std::string sample(text::kEncodingSample, '\0');
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0 && size < sample.size(); size += got) {
    SOTTO_ASSIGN(got, stream->read(sample.data() + size, sample.size() - size));
  }
  sample.resize(size);
  if (size < text::kEncodingSample) sample += '\n';  // what is cut off at the end of a file does not go on
  return sample;
}

}  // namespace

Result<IllFormedInput> find_ill_formed_input(const FileOptions& files) {
  IllFormedInput found;
  if (files.encoding != FileOptions().encoding) return found;
  bool agree = true;
  for (const std::filesystem::path& input : files.inputs) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(input, ignored)) continue;
    SOTTO_ASSIGN(const std::string sample, beginning_of(input));
    const text::IllFormedText here = text::find_ill_formed(sample);
    if (here.sequences == 0) continue;
    agree = agree && (found.sequences == 0 || here.likely == found.likely_encoding);
    found.sequences += here.sequences;
    found.likely_encoding = here.likely;
  }
  if (!agree) found.likely_encoding.clear();
  return found;
}

}  // namespace sotto
