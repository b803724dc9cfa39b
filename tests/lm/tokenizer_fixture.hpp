// The committed tokenizers, lines and reference ids (see data/tokenizers/make.py).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/compressed_input.hpp"
#include "lm/tokenizer/subword_tokenizer.hpp"
#include "support/temporary_folder.hpp"

namespace sotto::testing {

inline const std::filesystem::path kTokenizerData = SOTTO_TOKENIZER_DATA;
inline const int kPluginsAreChosen = ::setenv("SOTTO_PLUGINS", SOTTO_TEST_PLUGINS, 1);

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

/// The content of a compressed file.
inline std::string read_unpacked(const std::filesystem::path& file) {
  const auto stream = value_or_throw(base::InputStream::open(file));
  std::string content;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t size = value_or_throw(stream->read(buffer.data(), buffer.size())))
    content.append(buffer.data(), size);
  return content;
}

inline void write_file(const std::filesystem::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary) << content;
}

/// Unpacks a tokenizer's files into `to`.
inline void unpack_tokenizer(const std::string& name, const std::filesystem::path& to) {
  for (const auto& file : std::filesystem::directory_iterator(kTokenizerData / name))
    write_file(to / file.path().stem(), read_unpacked(file.path()));
}

inline std::shared_ptr<const lm::SubwordTokenizer> open_tokenizer(const std::string& name) {
  const TemporaryFolder folder;
  unpack_tokenizer(name, folder.path());
  return value_or_throw(lm::SubwordTokenizer::open(folder.path()));
}

/// Reads the 16-bit numbers and strings of the fixtures.
class PackedReader {
 public:
  explicit PackedReader(std::string content) : content_(std::move(content)) {}

  bool at_end() const { return at_ == content_.size(); }
  std::uint16_t number() {
    const auto low = static_cast<unsigned char>(content_.at(at_));
    const auto high = static_cast<unsigned char>(content_.at(at_ + 1));
    at_ += 2;
    return static_cast<std::uint16_t>(low | high << 8);
  }
  std::string bytes() {
    const std::size_t size = number();
    at_ += size;
    return content_.substr(at_ - size, size);
  }
  std::vector<lm::SubwordId> ids() {
    std::vector<lm::SubwordId> result(number());
    for (lm::SubwordId& id : result) id = number();
    return result;
  }

 private:
  std::string content_;
  std::size_t at_ = 0;
};

inline std::vector<std::string> read_reference_lines() {
  PackedReader reader(read_unpacked(kTokenizerData / "lines.zst"));
  std::vector<std::string> lines;
  while (!reader.at_end()) lines.push_back(reader.bytes());
  return lines;
}

}  // namespace sotto::testing
