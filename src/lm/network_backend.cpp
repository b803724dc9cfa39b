#include <fmt/format.h>

#include "base/plugin.hpp"
#include "lm/processor.hpp"
#include "lm/trainable_network.hpp"

namespace sotto {
namespace {

constexpr Plugin kPlugin = {.file = "libsotto_lm_torch.so",
                            .purpose = "classifiers that are networks (lstm, bilstm, transformer)",
                            .remedy = "libtorch (Debian: libtorch-dev)"};

Result<NetworkBackend*> load() {
  restrain_libraries();
  SOTTO_ASSIGN(void* const function, load_plugin_function(kPlugin, kNetworkFactory));
  NetworkBackend* const backend = reinterpret_cast<NetworkFactory>(function)(kNetworkAbi);
  if (backend == nullptr)
    return fail(Errc::bad_format,
                fmt::format("{} belongs to another version of Sotto: it does not offer version {} of the "
                            "interface of trainable networks",
                            kPlugin.file, kNetworkAbi));
  return backend;
}

}  // namespace

Result<NetworkBackend*> network_backend() {
  static const Result<NetworkBackend*> kBackend = load();
  return kBackend;
}

}  // namespace sotto
