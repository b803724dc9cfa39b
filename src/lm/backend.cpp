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
  restrain_libraries();
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
