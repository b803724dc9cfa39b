// Calls a target with files instead of random bytes: fuzz_replay TARGET FILE-OR-FOLDER…
#include <iterator>

#include "fuzz.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const sotto::fuzz::TargetFunction target = sotto::fuzz::chosen_target(argc, argv);
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) {
    for (const fs::path& file : files_of(argv[i])) {
      std::fprintf(stderr, "%s\n", file.c_str());  // if the program crashes, the last line names the culprit
      std::ifstream stream(file, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
      target(bytes);
      ++count;
    }
  }
  std::fprintf(stderr, "%zu inputs replayed\n", count);
  return count > 0 ? 0 : 1;
}
