// Compressed inputs and encodings: what comes out does not depend on how much is read at a time, what is
// compressed comes back, and neither an archive nor an encoding makes the reader crash.
#include "base/compressed_input.hpp"
#include "base/compressor.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

// Archives may hold far more than they take.
constexpr std::size_t kEnough = 1 << 20;

struct Content {
  std::string bytes;
  bool failed = false;
};

Content read(const std::filesystem::path& file, const base::InputOptions& options, std::size_t piece) {
  Content content;
  auto stream = base::InputStream::open(file, options);
  content.failed = !stream;
  std::string block(piece, '\0');
  while (!content.failed && content.bytes.size() < kEnough) {
    const auto got = (*stream)->read(block.data(), block.size());
    content.failed = !got;
    if (!got || *got == 0) break;
    require(*got <= block.size(), "no more is read than there is room for");
    content.bytes.append(block, 0, *got);
  }
  return content;
}

std::string packed(std::string_view data, base::Compression compression, std::size_t cut) {
  const auto compressor = fuzz::value_of(base::Compressor::make(compression));
  std::string out;
  require(compressor->write(data.substr(0, cut), out).has_value() &&
              compressor->write(data.substr(cut), out).has_value() && compressor->finish(out).has_value(),
          "anything can be compressed");
  return out;
}

void check_reading(std::string_view input, const base::InputOptions& options, std::size_t piece) {
  const std::filesystem::path file = fuzz::write_scratch("compressed", input);
  const Content whole = read(file, options, 1 << 16);
  const Content pieces = read(file, options, piece);
  const std::size_t common = std::min({whole.bytes.size(), pieces.bytes.size(), kEnough});
  require(whole.bytes.substr(0, common) == pieces.bytes.substr(0, common),
          "the content does not depend on how much is read at a time");
  if (std::max(whole.bytes.size(), pieces.bytes.size()) < kEnough)
    require(whole.failed == pieces.failed, "whether it can be read does not depend on it either");
}

void check_round_trip(std::string_view input, std::size_t cut) {
  for (const base::Compression compression :
       {base::Compression::gzip, base::Compression::zstd, base::Compression::xz, base::Compression::bzip2}) {
    const std::string file = packed(input, compression, std::min(cut, input.size()));
    require(file == packed(input, compression, 0), "how data is written does not change the file");
    require(base::compression_by_content(file) == compression, "a compressed file is recognized");
    const Content content = read(fuzz::write_scratch("packed", file + file), {}, kEnough);
    require(!content.failed && content.bytes == std::string(input) + std::string(input),
            "what was compressed comes back, concatenated files too");
  }
}

}  // namespace

SOTTO_FUZZ_TARGET(compressed) {
  static constexpr const char* kNames[] = {"utf-8", "utf-16",    "utf-16be",    "windows-1252",
                                           "utf-7", "shift_jis", "iso-2022-jp", "utf-32"};
  const unsigned choice = fuzz::take_byte(input);
  if (choice % 4 == 3) {
    if (input.size() < kEnough / 4) check_round_trip(input, choice);
    return;
  }
  base::InputOptions options;
  options.encoding = fuzz::value_of(base::TextEncoding::parse("encoding", kNames[choice / 4 % 8]));
  check_reading(input, options, 1 + choice / 32);
}
