#include <cstdlib>

#include <fmt/format.h>

#include "base/plugin.hpp"
#include "lm/language_model.hpp"
#include "lm/processor.hpp"

namespace sotto {
namespace {

constexpr Plugin kPlugin = {.file = "libsotto_lm_torch.so",
                            .purpose = "language models",
                            .remedy = "libtorch (Debian: libtorch-dev)"};

Result<LanguageModelBackend*> load() {
  // oneDNN reads it when it is first used, so it has to be there before the plugin.
  if (!processor_allows_amx()) ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  SOTTO_ASSIGN(void* const function, load_plugin_function(kPlugin, kLanguageModelFactory));
  LanguageModelBackend* const backend = reinterpret_cast<LanguageModelFactory>(function)(kLanguageModelAbi);
  if (backend == nullptr)
    return fail(Errc::bad_format,
                fmt::format("{} belongs to another version of Sotto: it does not offer version {} "
                            "of the interface",
                            kPlugin.file, kLanguageModelAbi));
  return backend;
}

}  // namespace

Result<LanguageModelBackend*> language_model_backend() {
  static const Result<LanguageModelBackend*> kBackend = load();
  return kBackend;
}

}  // namespace sotto
