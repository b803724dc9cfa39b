#include "embed/model_paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/language_models.hpp>
#include <sotto/model.hpp>

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kLanguageModelFile = "config.json";

// The value of an environment variable; empty when it is not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The folders of $SOTTO_MODELS, colon separated.
void add_listed_folders(std::vector<fs::path>& folders) {
  const std::string list = environment("SOTTO_MODELS");
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  add_listed_folders(folders);
  if (const fs::path data = user_data_folder(); !data.empty()) folders.push_back(data / "models");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path() / "models");
    folders.push_back((program.parent_path() / ".." / "share" / "sotto" / "models").lexically_normal());
  }
  return folders;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == kExtension && is_file(entry->path())) models.push_back(entry->path());
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace

fs::path user_data_folder() {
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) return fs::path(data) / "sotto";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".local" / "share" / "sotto";
  return {};
}

Result<fs::path> find_model(std::string_view name_or_path) {
  if (name_or_path.empty()) return fail(Errc::invalid_argument, "the name of the model is empty");
  if (name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(kExtension)) {
    if (is_file(name_or_path)) return fs::path(name_or_path);
    return fail(Errc::not_found, fmt::format("model file {} does not exist", name_or_path));
  }
  std::vector<std::string> searched;
  for (const fs::path& folder : model_folders()) {
    const fs::path candidate = folder / fmt::format("{}{}", name_or_path, kExtension);
    if (is_file(candidate)) return candidate;
    searched.push_back(folder.string());
  }
  std::vector<std::string> names;
  for (const fs::path& model : list_models()) names.push_back(model.stem().string());
  return fail(Errc::not_found,
              fmt::format("model '{}' is not in {}; {}", name_or_path, fmt::join(searched, ", "),
                          names.empty() ? "there are no models there"
                                        : fmt::format("there are: {}", fmt::join(names, ", "))));
}

Result<fs::path> find_language_model(std::string_view name_or_path) {
  if (name_or_path.empty())
    return fail(Errc::invalid_argument, "--model: missing; give the folder of a language model");
  std::error_code ignored;
  if (fs::is_directory(name_or_path, ignored)) return fs::path(name_or_path);
  if (name_or_path.find('/') != std::string_view::npos)
    return fail(Errc::not_found, fmt::format("{}: no such folder", name_or_path));
  std::vector<std::string> searched;
  std::set<std::string> names;
  for (const fs::path& folder : model_folders()) {
    if (fs::exists(folder / name_or_path / kLanguageModelFile, ignored)) return folder / name_or_path;
    searched.push_back(folder.string());
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (fs::exists(entry->path() / kLanguageModelFile, ignored))
        names.insert(entry->path().filename().string());
  }
  return fail(Errc::not_found,
              fmt::format("language model '{}' is not in {}; {}", name_or_path, fmt::join(searched, ", "),
                          names.empty() ? "there are no language models there"
                                        : fmt::format("there are: {}", fmt::join(names, ", "))));
}

std::vector<fs::path> list_models() {
  std::vector<fs::path> models;
  std::set<std::string> names;
  for (const fs::path& folder : model_folders())
    for (const fs::path& model : models_in(folder))
      if (names.insert(model.stem().string()).second) models.push_back(model);
  return models;
}

}  // namespace sotto
