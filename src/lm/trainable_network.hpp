// Networks that learn to classify texts or to predict a value, independent of any library: the arithmetic
// lives in the language models' plugin (src/lm/torch).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include <sotto/language_models.hpp>
#include <sotto/result.hpp>

#include "lm/language_model.hpp"

namespace sotto::lm {

/// Texts as input of a network. `partners` is empty or as long as `texts`: the second texts of pairs, for a
/// network that reads the two separately.
struct NetworkInput {
  std::span<const Sequence> texts;
  std::span<const Sequence> partners = {};
};

/// Everything in a sequence must be below these.
struct NetworkLimits {
  std::uint32_t ids = 0;
  std::uint32_t positions = 0;
  std::uint32_t segments = 1;
  std::uint32_t pieces = 1;  ///< above 1: words are read as pieces at one position
};

/// A network and its optimizer, Adam with decoupled weight decay. Not thread-safe, but different threads may
/// use different networks. The same calls with the same settings give the same answers, whatever the number
/// of threads.
class TrainableNetwork {
 public:
  virtual ~TrainableNetwork() = default;

  virtual NetworkLimits limits() const = 0;
  virtual std::uint32_t width() const = 0;    ///< numbers per text from features()
  virtual std::uint32_t outputs() const = 0;  ///< numbers per text from answer()

  /// One step at this learning rate on the texts `members` (indices into the input); `targets`, one per text
  /// of the input, are class numbers or values. Returns the mean loss of the members before the step.
  virtual Result<double> learn(const NetworkInput& input, std::span<const std::uint32_t> members,
                               std::span<const float> targets, double learning_rate) = 0;
  /// The probabilities of the classes, or the value: outputs() numbers per text, in order.
  virtual Result<void> answer(const NetworkInput& input, std::span<float> out) const = 0;
  /// The input of the last layers: width() numbers per text, in order.
  virtual Result<void> features(const NetworkInput& input, std::span<float> out) const = 0;

  /// keep() saves the weights; recall() restores the saved ones.
  virtual Result<void> keep() = 0;
  virtual Result<void> recall() = 0;
};

struct NetworkSettings {
  std::uint32_t classes = 2;  ///< 0: a value
  double dropout = 0.1;
  double weight_decay = 0;  ///< applies to matrices
  double largest_norm = 0;  ///< gradients are clipped to this norm; 0: not clipped
  std::uint64_t seed = 0;
  Device device = Device::cpu;
  unsigned threads = 0;  ///< 0: one per processor
};

/// Word vectors, an LSTM, and a linear layer on its last state, in each direction. For a pair, both states u
/// and v are read, as u, v, |u − v| and u·v.
struct RecurrentShape {
  std::span<const float> vectors;  ///< one row per id
  std::uint32_t dimension = 0;     ///< per row
  std::uint32_t hidden = 128;
  std::uint32_t layers = 1;
  bool bidirectional = false;
  bool train_vectors = false;
  bool pairs = false;
};

/// Which of a transformer's last states the head reads.
enum class StatePooling {
  automatic,  ///< the mean if config.json asks for it or no first token has a special meaning
  first,
  mean,
};

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;
  virtual Result<std::unique_ptr<TrainableNetwork>> make_recurrent(const RecurrentShape& shape,
                                                                   const NetworkSettings& settings) = 0;
  /// Starts from the weights of a masked model or sentence encoder in a folder in Hugging Face's layout. The
  /// head, a tanh layer and a linear one, is new except for what the folder has of it: BERT's pooler, or the
  /// head of a task with as many outputs.
  virtual Result<std::unique_ptr<TrainableNetwork>> open_transformer(const std::filesystem::path& folder,
                                                                     StatePooling pooling,
                                                                     const NetworkSettings& settings) = 0;
};

/// The plugin's, loaded by the first call; without a plugin, an error that says what is missing. Lives as
/// long as the program. Thread-safe.
Result<NetworkBackend*> network_backend();

/// What the plugin exports; `abi` must match the program's. Owned by the plugin.
inline constexpr std::uint32_t kNetworkAbi = 1;
inline constexpr const char* kNetworkFactory = "sotto_network_backend";

}  // namespace sotto::lm
