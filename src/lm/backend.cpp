// Who computes: the engine, or the libtorch plugin, which also offers trainable networks.
#include <fmt/format.h>

#include "base/plugin.hpp"
#include "lm/cpu_features.hpp"
#include "lm/language_model.hpp"
#include "lm/tokenizer/json_file.hpp"
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

bool is_text(const Json& config, const char* key, std::string_view value) {
  const auto found = config.find(key);
  return found != config.end() && found->is_string() && found->get<std::string>() == value;
}

/// Whether the engine computes it, or says what is wrong with it.
bool is_for_engine(ModelUse use, const std::filesystem::path& folder,
                   const LanguageModelResources& resources) {
  if (resources.device != Device::cpu || resources.precision == Precision::f32) return false;
  std::error_code ignored;
  if (use == ModelUse::sentence && std::filesystem::exists(folder / "modules.json", ignored)) return false;
  const Result<Json> config = read_optional_json_object(folder / "config.json");
  if (!config || config->empty()) return true;
  const char* const type = use == ModelUse::masked     ? "sotto-bounded-mlm"
                           : use == ModelUse::sentence ? "bert"
                                                       : "gpt2";
  return is_text(*config, "model_type", type) && is_text(*config, "quantization", "int8-per-row");
}

}  // namespace

Result<LanguageModelBackend*> language_model_backend(ModelUse use, const std::filesystem::path& folder,
                                                     const LanguageModelResources& resources) {
  if (is_for_engine(use, folder, resources)) return &engine_backend();
  return language_model_plugin();
}

Precision precision_used(const LanguageModelBackend& backend, const LanguageModelResources& resources) {
  if (resources.precision != Precision::automatic) return resources.precision;
  return &backend == &engine_backend() ? Precision::int8 : Precision::f32;
}

Result<LanguageModelBackend*> language_model_plugin() {
  static const auto kBackend =
      load_backend<LanguageModelBackend>("language models other than the shipped ones in 8 bits",
                                         kLanguageModelFactory, kLanguageModelAbi, "the interface");
  return kBackend;
}

Result<NetworkBackend*> network_backend() {
  static const auto kBackend =
      load_backend<NetworkBackend>("classifiers that are networks (lstm, bilstm, transformer)",
                                   kNetworkFactory, kNetworkAbi, "the interface of trainable networks");
  return kBackend;
}

}  // namespace sotto::lm
