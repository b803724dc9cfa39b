#include "embed/model_paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/language_models.hpp>
#include <sotto/model.hpp>
#include <sotto/model_names.hpp>

#include "base/file.hpp"
#include "base/own_folder.hpp"
#include "base/suggestion.hpp"

namespace sotto {
using namespace embed;
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kLanguageModelFile = "config.json";

// The value of an environment variable; empty if unset.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The folders of $SOTTO_MODELS, separated by colons.
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
  // Lets other programs that use the library find the models beside it, or installed with it.
  if (const fs::path own = base::own_folder(); own.is_absolute())
    for (const fs::path& folder :
         {own / "models", (own / SOTTO_DATA_FROM_LIBRARY / "sotto" / "models").lexically_normal()})
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  return folders;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// A value that can only be a path. Any other is a name and is searched for only in the model folders: a file
/// in the current folder must not replace a model known by that name.
bool is_path(std::string_view value) {
  return value.find('/') != std::string_view::npos || value == "." || value == "..";
}

bool is_language_model(const fs::path& folder) {
  return is_file(folder / kLanguageModelFile);
}

std::optional<fs::path> named_model(std::string_view name) {
  for (const fs::path& folder : model_folders())
    if (fs::path candidate = folder / fmt::format("{}{}", name, kExtension); is_file(candidate))
      return candidate;
  return std::nullopt;
}

/// The model file with this path. A bare file name is one too, unless another model has that name.
Result<fs::path> model_at(std::string_view path) {
  const std::string name = fs::path(path).stem().string();
  const auto known = is_path(path) ? std::nullopt : named_model(name);
  if (known && !base::same_file(*known, path))
    return fail(Errc::invalid_argument,
                fmt::format("model '{}': a model is known as '{}'; give that name, or ./{} for the file in "
                            "this folder",
                            path, name, path));
  if (is_file(path)) return fs::path(path);
  std::error_code ignored;
  return fail(Errc::not_found,
              fmt::format("model file {} {}", path,
                          fs::is_directory(path, ignored) ? "is a folder" : "does not exist"));
}

std::string not_in_folders(std::string_view what, std::string_view name,
                           const std::vector<std::string>& names) {
  std::vector<std::string> searched;
  for (const fs::path& folder : model_folders()) searched.push_back(folder.string());
  const std::string known = names.empty() ? fmt::format("there are no {}s there", what)
                                          : fmt::format("there are: {}", fmt::join(names, ", "));
  return fmt::format("{} '{}' is not in {}{}; {}; a path has a '/' in it", what, name,
                     fmt::join(searched, ", "), base::suggestion(name, names), known);
}

/// A file beside the models that every model uses; `what` names it in the error.
Result<fs::path> find_installed(std::string_view what, const fs::path& file) {
  std::vector<std::string> searched;
  for (const fs::path& folder : model_folders()) {
    if (is_file(folder / file)) return folder / file;
    searched.push_back(folder.string());
  }
  return fail(Errc::not_found, fmt::format("{}, {}, is not in {}; it is installed with the models", what,
                                           file.string(), fmt::join(searched, ", ")));
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

fs::path embed::user_data_folder() {
  // A relative one would depend on the folder the program is started in.
  if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute()) return data / "sotto";
  if (const fs::path home = environment("HOME"); home.is_absolute())
    return home / ".local" / "share" / "sotto";
  return {};
}

Result<fs::path> find_model(std::string_view name_or_path) {
  if (name_or_path.empty()) return fail(Errc::invalid_argument, "the name of the model is empty");
  if (is_path(name_or_path) || name_or_path.ends_with(kExtension)) return model_at(name_or_path);
  if (const auto found = named_model(name_or_path)) return *found;
  return fail(Errc::not_found, not_in_folders("model", name_or_path, model_names()));
}

Result<fs::path> find_language_model(std::string_view name_or_path) {
  if (name_or_path.empty())
    return fail_parameter("model", "", "missing; give the folder of a language model");
  if (is_path(name_or_path)) {
    std::error_code ignored;
    if (fs::is_directory(name_or_path, ignored)) return fs::path(name_or_path);
    return fail(Errc::not_found, fmt::format("{}: no such folder", name_or_path));
  }
  for (const fs::path& folder : model_folders())
    if (is_language_model(folder / name_or_path)) return folder / name_or_path;
  return fail(Errc::not_found, not_in_folders("language model", name_or_path, language_model_names()));
}

Result<fs::path> embed::find_word_map() {
  return find_installed("the map of unknown words", fs::path("sotto-en-word-map") / "word-map.safetensors");
}

Result<fs::path> embed::find_word_forms() {
  return find_installed("the table of word forms",
                        fs::path("sotto-en-word-forms") / "word-forms.safetensors");
}

std::vector<fs::path> list_models() {
  std::vector<fs::path> models;
  std::set<std::string> names;
  for (const fs::path& folder : model_folders())
    for (const fs::path& model : models_in(folder))
      if (names.insert(model.stem().string()).second) models.push_back(model);
  return models;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const fs::path& model : list_models()) names.push_back(model.stem().string());
  return names;
}

std::vector<std::string> language_model_names() {
  std::set<std::string> names;
  for (const fs::path& folder : model_folders()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (is_language_model(entry->path())) names.insert(entry->path().filename().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace sotto
