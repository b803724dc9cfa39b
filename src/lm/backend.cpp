// What the libtorch plugin offers: language models and trainable networks.
#include <fmt/format.h>

#include "base/plugin.hpp"
#include "lm/cpu_features.hpp"
#include "lm/language_model.hpp"
#include "lm/trainable_network.hpp"

namespace sotto::lm {
namespace {

/// `offered` names the interface in messages.
template <class Backend>
Result<Backend*> load_backend(const char* purpose, const char* factory, std::uint32_t abi,
                              const char* offered) {
  const base::Plugin plugin = {
      .file = "libsotto_lm_torch.so", .purpose = purpose, .remedy = "libtorch (Debian: libtorch-dev)"};
  restrain_libraries();
  SOTTO_ASSIGN(void* const function, base::load_plugin_function(plugin, factory));
  Backend* const backend = reinterpret_cast<Backend* (*)(std::uint32_t)>(function)(abi);
  if (backend == nullptr)
    return fail(Errc::bad_format,
                fmt::format("{} belongs to another version of Sotto: it does not offer version {} of {}",
                            plugin.file, abi, offered));
  return backend;
}

}  // namespace

Result<LanguageModelBackend*> language_model_backend() {
  static const auto kBackend = load_backend<LanguageModelBackend>("language models", kLanguageModelFactory,
                                                                  kLanguageModelAbi, "the interface");
  return kBackend;
}

Result<NetworkBackend*> network_backend() {
  static const auto kBackend =
      load_backend<NetworkBackend>("classifiers that are networks (lstm, bilstm, transformer)",
                                   kNetworkFactory, kNetworkAbi, "the interface of trainable networks");
  return kBackend;
}

}  // namespace sotto::lm
