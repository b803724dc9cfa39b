// Model files assembled by hand, so that every part of them can be wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sotto::testing {

/// Header and data of a safetensors file, written verbatim.
struct RawFile {
  nlohmann::ordered_json header;
  std::string data;

  template <class T>
  void add(const std::string& name, const char* dtype, const std::vector<std::uint64_t>& shape,
           const std::vector<T>& values) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    header[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
  }

  std::string bytes() const { return bytes_with(header.dump()); }

  std::string bytes_with(std::string text) const {
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
    return file + text + data;
  }
};

/// A model of the words "aa", "b", "ccc" with vectors of dimension 2 and two lists, valid but for its digest.
inline RawFile valid_raw_model() {
  RawFile file;
  file.header["__metadata__"] = {{"format", "sotto-model"},
                                 {"version", "1"},
                                 {"scale", "0.5"},
                                 {"list_sources", R"(["x","y"])"},
                                 {"sha256", std::string(64, 'a')}};
  file.add<std::uint64_t>("offsets", "U64", {4}, {0, 2, 3, 6});
  file.add<std::uint64_t>("counts", "U64", {3}, {30, 20, 10});
  file.add<std::uint32_t>("lists", "U32", {2, 3}, {0, 2, 1, 1, 0, 2});
  file.add<std::int16_t>("vectors", "I16", {3, 2}, {1, 2, 3, 4, -5, 6});
  file.add<char>("words", "U8", {6}, {'a', 'a', 'b', 'c', 'c', 'c'});
  return file;
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace sotto::testing
