// Shared by the fuzz targets. A target is a function of bytes that must neither crash nor break a property.
// All targets are in one program: with clang, libFuzzer calls the chosen one (libfuzzer.cpp); in every other
// build it replays the seeds (replay.cpp).
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/error_text.hpp>

#include "support/temporary_folder.hpp"

namespace sotto::fuzz {

using TargetFunction = void (*)(std::string_view input);

/// All targets by name.
inline std::map<std::string, TargetFunction, std::less<>>& targets() {
  static std::map<std::string, TargetFunction, std::less<>> all;
  return all;
}

struct Registration {
  Registration(const char* name, TargetFunction run) { targets().emplace(name, run); }
};

/// The target named by the program's first argument; exits if there is none.
inline TargetFunction chosen_target(int argc, char** argv) {
  const auto found = targets().find(argc > 1 ? argv[1] : "");
  if (found != targets().end()) return found->second;
  std::fprintf(stderr, "usage: %s TARGET ...; the targets are:", argv[0]);
  for (const auto& known : targets()) std::fprintf(stderr, " %s", known.first.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

/// Aborts when a property does not hold, so that libFuzzer saves the input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "sotto: broken property: %s\n", property);
  std::abort();
}

/// For what the target itself needs and no input can make fail.
template <class T>
T value_of(Result<T> result) {
  if (!result) std::fprintf(stderr, "sotto: %s\n", describe(result.error()).c_str());
  require(result.has_value(), "the target's own files can be made");
  return std::move(*result);
}

/// A folder that lives as long as the program.
inline const std::filesystem::path& scratch() {
  static const testing::TemporaryFolder folder;
  return folder.path();
}

inline std::filesystem::path write_scratch(const std::filesystem::path& name, std::string_view bytes) {
  const std::filesystem::path file = scratch() / name;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  return file;
}

/// Consumes the first byte of the input, whose bits select options; 0 if the input is empty.
inline unsigned take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

/// Writes the parts of the input, each after a line "=== NAME", as files of a folder in scratch(). Files of
/// `names` without a part are written empty if `all`, otherwise removed. Other parts are ignored.
inline std::filesystem::path unpack(std::string_view input, const char* folder,
                                    std::initializer_list<std::string_view> names, bool all) {
  constexpr std::string_view kMark = "=== ";
  const std::filesystem::path path = scratch() / folder;
  std::filesystem::create_directories(path);
  for (const std::string_view name : names) {
    if (all)
      write_scratch(path / name, "");
    else
      std::filesystem::remove(path / name);
  }
  while (input.starts_with(kMark)) {
    input.remove_prefix(kMark.size());
    const std::size_t line_end = std::min(input.find('\n'), input.size());
    const std::string_view name = input.substr(0, line_end);
    input.remove_prefix(std::min(line_end + 1, input.size()));
    const std::size_t next = input.find("\n=== ");
    const std::size_t end = next == std::string_view::npos ? input.size() : next + 1;
    for (const std::string_view known : names)
      if (known == name) write_scratch(path / known, input.substr(0, end));
    input.remove_prefix(end);
  }
  return path;
}

}  // namespace sotto::fuzz

/// SOTTO_FUZZ_TARGET(name) { … } defines a target at global scope; its body sees the bytes as `input`.
#define SOTTO_FUZZ_TARGET(name)                                                        \
  static void name##_target(std::string_view input);                                   \
  static const ::sotto::fuzz::Registration name##_registration(#name, &name##_target); \
  static void name##_target(std::string_view input)
