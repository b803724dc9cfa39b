// Networks that learn to sort texts into classes or to give them a value, free of any library behind them:
// the arithmetic lives in the plugin of the language models (src/lm/torch).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include <sotto/language_models.hpp>
#include <sotto/result.hpp>

#include "lm/language_model.hpp"

namespace sotto {

/// Texts on their way into a network. `partners` is empty, or has as many as `texts`: the second texts of
/// pairs, for a network that reads the two apart.
struct NetworkInput {
  std::span<const Sequence> texts;
  std::span<const Sequence> partners = {};
};

/// Everything in a sequence must lie below these.
struct NetworkLimits {
  std::uint32_t ids = 0;
  std::uint32_t positions = 0;
  std::uint32_t segments = 1;
  std::uint32_t pieces = 1;  ///< above 1: words are read as pieces at one position
};

/// A network and its optimizer, Adam with decoupled weight decay. Not thread-safe; different networks may be
/// used by different threads. After the same calls with the same settings its answers are the same, whatever
/// the number of threads.
class TrainableNetwork {
 public:
  virtual ~TrainableNetwork() = default;

  virtual NetworkLimits limits() const = 0;
  virtual std::uint32_t width() const = 0;    ///< numbers that features() gives a text
  virtual std::uint32_t outputs() const = 0;  ///< numbers that answer() gives a text

  /// One step at this learning rate on the texts `members` (indices into the input); `targets`, one for each
  /// text of the input, are numbers of classes or values. Returns the mean loss of the members before the
  /// step.
  virtual Result<double> learn(const NetworkInput& input, std::span<const std::uint32_t> members,
                               std::span<const float> targets, double learning_rate) = 0;
  /// The probabilities of the classes, or the value: outputs() numbers a text, in order.
  virtual Result<void> answer(const NetworkInput& input, std::span<float> out) const = 0;
  /// What the last layers make their answer of: width() numbers a text, in order.
  virtual Result<void> features(const NetworkInput& input, std::span<float> out) const = 0;

  /// Remembers the weights, and goes back to those that were remembered.
  virtual Result<void> keep() = 0;
  virtual Result<void> recall() = 0;
};

struct NetworkSettings {
  std::uint32_t classes = 2;  ///< 0: a value
  double dropout = 0.1;
  double weight_decay = 0;  ///< of matrices
  double largest_norm = 0;  ///< gradients that are longer are shortened to it; 0: they are not
  std::uint64_t seed = 0;
  Device device = Device::cpu;
  unsigned threads = 0;  ///< 0: one for each processor
};

/// Word vectors, an LSTM, and a linear layer on its last state, in each direction. Of a pair both states u
/// and v are read, as u, v, |u − v| and u·v.
struct RecurrentShape {
  std::span<const float> vectors;  ///< one row for each id
  std::uint32_t dimension = 0;     ///< of a row
  std::uint32_t hidden = 128;
  std::uint32_t layers = 1;
  bool bidirectional = false;
  bool train_vectors = false;
  bool pairs = false;
};

/// What of a transformer's last states the head reads.
enum class StatePooling {
  automatic,  ///< the mean where config.json asks for it or there is no first token of special meaning
  first,
  mean,
};

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;
  virtual Result<std::unique_ptr<TrainableNetwork>> make_recurrent(const RecurrentShape& shape,
                                                                   const NetworkSettings& settings) = 0;
  /// Begins with the weights of a masked model or sentence encoder in a folder as Hugging Face lays it out.
  /// The head, a layer with tanh and a linear one, is new, except for what the folder has of it: BERT's
  /// pooler, or the head of a task with as many outputs.
  virtual Result<std::unique_ptr<TrainableNetwork>> open_transformer(const std::filesystem::path& folder,
                                                                     StatePooling pooling,
                                                                     const NetworkSettings& settings) = 0;
};

/// The plugin's, loaded by the first call; an error that says what is missing where there is none. Lives as
/// long as the program. Thread-safe.
Result<NetworkBackend*> network_backend();

/// What the plugin exports; `abi` must be that of the program. Owned by the plugin.
inline constexpr std::uint32_t kNetworkAbi = 1;
inline constexpr const char* kNetworkFactory = "sotto_network_backend";

}  // namespace sotto
