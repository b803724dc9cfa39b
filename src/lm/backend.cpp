#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "lm/language_model.hpp"
#include "lm/processor.hpp"

namespace sotto {
namespace {

constexpr const char* kPlugin = "libsotto_lm_torch.so";

// The folder of the file that this code was loaded from: of the library, or of a program that holds it.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  std::error_code ignored;
  return std::filesystem::weakly_canonical(info.dli_fname, ignored).parent_path();
}

std::vector<std::filesystem::path> plugin_folders() {
  if (const char* chosen = std::getenv("SOTTO_PLUGINS"); chosen != nullptr && *chosen != '\0')
    return {chosen};
  const std::filesystem::path own = own_folder();
  return {own, own / "sotto", own.parent_path() / "lib" / "sotto"};
}

Result<std::filesystem::path> find_plugin() {
  std::string looked_in;
  for (const std::filesystem::path& folder : plugin_folders()) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / kPlugin, ignored)) return folder / kPlugin;
    looked_in += fmt::format("{}{}", looked_in.empty() ? "" : ", ", folder.string());
  }
  return fail(
      Errc::not_found,
      fmt::format("language models need the plugin {}, which is not in {}; install libtorch (Debian: "
                  "libtorch-dev) and build Sotto with it, or set SOTTO_PLUGINS to the plugin's folder",
                  kPlugin, looked_in));
}

Result<LanguageModelBackend*> load() {
  SOTTO_ASSIGN(const std::filesystem::path file, find_plugin());
  // oneDNN reads it when it is first used, so it has to be there before the plugin.
  if (!processor_allows_amx()) ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(Errc::not_found,
                fmt::format("cannot load {}: {}; is libtorch installed?", file.string(), ::dlerror()));
  const auto factory = reinterpret_cast<LanguageModelFactory>(::dlsym(handle, kLanguageModelFactory));
  LanguageModelBackend* const backend = factory == nullptr ? nullptr : factory(kLanguageModelAbi);
  if (backend == nullptr)
    return fail(Errc::bad_format,
                fmt::format("{} belongs to another version of Sotto: it does not offer version {} "
                            "of the interface",
                            file.string(), kLanguageModelAbi));
  return backend;
}

}  // namespace

Result<LanguageModelBackend*> language_model_backend() {
  static const Result<LanguageModelBackend*> kBackend = load();
  return kBackend;
}

}  // namespace sotto
