#include "base/plugin.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/own_folder.hpp"

namespace sotto::base {
namespace {

// None of them depends on the current folder: whoever can write there could choose the code that runs.
Result<std::vector<std::filesystem::path>> plugin_folders() {
  using Folders = std::vector<std::filesystem::path>;
  if (const char* chosen = std::getenv("SOTTO_PLUGINS"); chosen != nullptr && *chosen != '\0') {
    if (std::filesystem::path(chosen).is_absolute()) return Folders{chosen};
    return fail(Errc::invalid_argument,
                fmt::format("SOTTO_PLUGINS is '{}'; it must be a path that begins with /", chosen));
  }
  const std::filesystem::path own = own_folder();
  if (!own.is_absolute()) return Folders{};
  return Folders{own, own / "sotto", own.parent_path() / "lib" / "sotto"};
}

Result<std::filesystem::path> find_plugin(const Plugin& plugin) {
  SOTTO_ASSIGN(const std::vector<std::filesystem::path> folders, plugin_folders());
  std::string looked_in;
  for (const std::filesystem::path& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / plugin.file, ignored)) return folder / plugin.file;
    looked_in += fmt::format("{}{}", looked_in.empty() ? "" : ", ", folder.string());
  }
  return fail(Errc::not_found,
              fmt::format("{} need the plugin {}, which is not in {}; install {} and build Sotto with it, or "
                          "set SOTTO_PLUGINS to the plugin's folder",
                          plugin.purpose, plugin.file, looked_in, plugin.remedy));
}

}  // namespace

Result<void*> load_plugin_function(const Plugin& plugin, const char* function) {
  SOTTO_ASSIGN(const std::filesystem::path file, find_plugin(plugin));
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(Errc::not_found, fmt::format("cannot load {}: {}; {} need {}", file.string(), ::dlerror(),
                                             plugin.purpose, plugin.remedy));
  void* const found = ::dlsym(handle, function);
  if (found == nullptr)
    return fail(Errc::bad_format, fmt::format("{} is not a plugin of this version of Sotto", file.string()));
  return found;
}

}  // namespace sotto::base
