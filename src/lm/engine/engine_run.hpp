// How the engine's models run: threads and batches.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "lm/engine/transformer_layer.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

/// Some of the sequences that a model is asked about, with their rows.
struct EngineBatch {
  std::size_t first;  ///< the first sequence
  std::span<const Sequence> sequences;
  std::vector<std::uint32_t> begins;  ///< see BatchRows
};

/// The threads of a model and their memory. Thread-safe.
class EngineRun {
 public:
  explicit EngineRun(const LanguageModelResources& resources);

  /// Calls body with batches of consecutive sequences that cover each once. Answers do not depend on how they
  /// are divided. Throws Failure if the caller asks to stop.
  void for_each_batch(std::span<const Sequence> sequences,
                      const std::function<void(const EngineBatch& batch, Workspace& work)>& body) const;

 private:
  unsigned threads_;
  std::function<bool()> go_on_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace sotto::lm
