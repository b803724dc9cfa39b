// The weights of a model folder as tensors of libtorch. 32-bit numbers are used in place; other types are
// converted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "lm/checkpoint_files.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

/// Where and how a model computes.
struct Runtime {
  at::Device device{at::kCPU};
  bool bytes = false;  ///< multiply 8-bit numbers
  unsigned threads = 1;
  std::int64_t batch_tokens = 0;     ///< upper bound of a batch's sequences times their length
  std::function<bool()> go_on = {};  ///< see LanguageModelResources
};

/// Throws Failure if the caller asks to stop.
void check_stop(const Runtime& runtime);

/// Throws Failure if the device is not available.
Runtime make_runtime(const LanguageModelResources& resources);

/// A matrix of 8-bit numbers, row r scaled by scales[r].
struct ByteRows {
  at::Tensor values;  ///< i8
  at::Tensor scales;  ///< f32
};

class Checkpoint : public CheckpointFiles {
 public:
  Checkpoint(const std::filesystem::path& folder, Runtime runtime)
      : CheckpointFiles(folder), runtime_(std::move(runtime)) {}

  const Runtime& runtime() const { return runtime_; }
  /// As 32-bit numbers, on the device. Throws Failure with the name, the expected and the actual shape.
  at::Tensor tensor(const std::string& name, const std::vector<std::int64_t>& shape) const;
  /// As stored, if stored as scaled bytes; otherwise its values are undefined.
  ByteRows byte_rows(const std::string& name, const std::vector<std::int64_t>& shape) const;

 private:
  static at::Tensor stored(const StoredTensor& entry, at::ScalarType type);

  Runtime runtime_;
};

/// The tensors whose names start with a prefix: weights / "encoder" / "layer" has "encoder.layer.…". Valid as
/// long as the checkpoint.
class Weights {
 public:
  explicit Weights(const Checkpoint& checkpoint, std::string prefix = {})
      : checkpoint_(&checkpoint), prefix_(std::move(prefix)) {}

  Weights operator/(const std::string& part) const { return Weights(*checkpoint_, prefix_ + part + '.'); }
  Weights operator/(std::int64_t part) const { return *this / std::to_string(part); }
  /// These, or those below `part` if `name` exists below it: some folders omit the model's own name.
  Weights below_if(const std::string& part, const std::string& name) const {
    return (*this / part).has(name) ? *this / part : *this;
  }
  bool has(const std::string& name) const { return checkpoint_->has(prefix_ + name); }
  at::Tensor tensor(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return checkpoint_->tensor(prefix_ + name, shape);
  }
  ByteRows byte_rows(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return checkpoint_->byte_rows(prefix_ + name, shape);
  }
  void release_pages(const std::string& name) const { checkpoint_->release_pages(prefix_ + name); }
  const Runtime& runtime() const { return checkpoint_->runtime(); }

 private:
  const Checkpoint* checkpoint_;
  std::string prefix_;
};

}  // namespace sotto::lm
