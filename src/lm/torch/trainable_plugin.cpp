// The plugin's second boundary: trainable networks.
#include "lm/torch/failure.hpp"
#include "lm/torch/trainable.hpp"

namespace sotto::lm {
namespace {

std::int64_t outputs_of(const NetworkSettings& settings) {
  return std::max<std::int64_t>(1, settings.classes);
}

// In 32 bits, whatever type the weights are stored in.
Runtime runtime_of(const NetworkSettings& settings) {
  return make_runtime({settings.device, Precision::f32, settings.threads});
}

class TorchNetworks final : public NetworkBackend {
 public:
  Result<std::unique_ptr<TrainableNetwork>> make_recurrent(const RecurrentShape& shape,
                                                           const NetworkSettings& settings) override {
    return torch_guarded([&] {
      if (shape.dimension == 0 || shape.vectors.empty() || shape.vectors.size() % shape.dimension != 0)
        refuse(Errc::invalid_argument, "an LSTM needs word vectors of one dimension");
      const Runtime runtime = runtime_of(settings);
      ParameterList parameters(settings.seed);
      auto graph = make_recurrent_graph(shape, outputs_of(settings), runtime, parameters);
      return make_trainable(std::move(graph), parameters, settings, runtime);
    });
  }

  Result<std::unique_ptr<TrainableNetwork>> open_transformer(const std::filesystem::path& folder,
                                                             StatePooling pooling,
                                                             const NetworkSettings& settings) override {
    return torch_guarded([&] {
      const Checkpoint checkpoint(folder, runtime_of(settings));
      ParameterList parameters(settings.seed);
      auto graph = make_transformer_graph(checkpoint, pooling, outputs_of(settings), parameters);
      return make_trainable(std::move(graph), parameters, settings, checkpoint.runtime());
    });
  }
};

}  // namespace
}  // namespace sotto::lm

extern "C" __attribute__((visibility("default"))) sotto::lm::NetworkBackend* sotto_network_backend(
    std::uint32_t abi) {
  static sotto::lm::TorchNetworks backend;
  return abi == sotto::lm::kNetworkAbi ? &backend : nullptr;
}
