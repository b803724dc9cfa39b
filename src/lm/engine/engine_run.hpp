// How the engine's models run: threads, batches, and errors as values at their interface.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "lm/engine/transformer_layer.hpp"
#include "lm/failure.hpp"
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

/// Returns body()'s value, or whatever it threw as an error.
template <class Body>
Result<std::invoke_result_t<Body>> engine_guarded(const Body& body) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return tl::unexpected(failure.error());
  } catch (const std::bad_alloc&) {
    return fail(Errc::limit, "there is not enough memory for the language model");
  }
}

}  // namespace sotto::lm
