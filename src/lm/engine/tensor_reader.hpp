// The tensors of a checkpoint as the engine uses them. Everything throws Failure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lm/checkpoint_files.hpp"
#include "lm/engine/byte_matrix.hpp"
#include "lm/engine/float_kernels.hpp"

namespace sotto::lm {

/// Rows of numbers that are looked up by index, in the file's mapping if they are stored as bytes.
class RowTable {
 public:
  std::size_t width() const { return width_; }
  void copy_row(std::int32_t row, float* out) const;
  /// Adds the row to `out`.
  void add_row(std::int32_t row, float* out) const;

 private:
  friend class TensorReader;
  std::size_t width_ = 0;
  std::shared_ptr<const base::MappedFile> file_;
  const std::int8_t* bytes_ = nullptr;
  std::vector<float> scales_;
  std::vector<float> numbers_;  // if there are no bytes
};

/// x · Wᵀ + b.
class ByteLinear {
 public:
  ByteLinear() = default;
  std::size_t outputs() const { return matrix_->rows(); }
  std::size_t inputs() const { return matrix_->columns(); }
  /// Rounds a vector for this product. `scratch` has room for inputs() numbers.
  void set(ByteVectors& vectors, std::size_t i, const float* vector, float* scratch) const;
  void multiply(const ByteVectors& vectors, float* out,
                ByteMatrix::Into into = ByteMatrix::Into::replace) const {
    matrix_->multiply(vectors, bias_.empty() ? nullptr : bias_.data(), out, matrix_->rows(), into);
  }

 private:
  friend class TensorReader;
  std::shared_ptr<const ByteMatrix> matrix_;
  std::vector<float> bias_;
  std::vector<float> input_scales_;  // of a matrix whose scales belong to its inputs; empty: none
};

/// Layer normalization.
class RowNorm {
 public:
  void operator()(const float* row, float* out) const {
    normalize_row({weight_.data(), bias_.data(), weight_.size(), epsilon_}, row, out);
  }

 private:
  friend class TensorReader;
  std::vector<float> weight_;
  std::vector<float> bias_;
  float epsilon_ = 0;
};

/// The tensors whose names start with a prefix. Valid as long as the files.
class TensorReader {
 public:
  explicit TensorReader(const CheckpointFiles& files, std::string prefix = {})
      : files_(&files), prefix_(std::move(prefix)) {}

  TensorReader operator/(const std::string& part) const {
    return TensorReader(*files_, prefix_ + part + '.');
  }
  TensorReader operator/(std::int64_t part) const { return *this / std::to_string(part); }
  /// These, or those below `part` if `name` exists below it: some folders omit the model's own name.
  TensorReader below_if(const std::string& part, const std::string& name) const {
    return (*this / part).has(name) ? *this / part : *this;
  }
  bool has(const std::string& name) const { return files_->has(prefix_ + name); }

  std::vector<float> numbers(const std::string& name, const std::vector<std::int64_t>& shape) const;
  RowTable table(const std::string& name, std::int64_t rows, std::int64_t width) const;
  RowNorm norm(const std::string& name, std::int64_t size, double epsilon) const;

  /// Some outputs of a matrix of outputs × inputs.
  struct Outputs {
    std::int64_t first;
    std::int64_t count;
  };
  /// `name`.weight and `name`.bias.
  ByteLinear linear(const std::string& name, std::int64_t inputs, std::int64_t outputs) const {
    return linear(name, inputs, outputs, {0, outputs});
  }
  ByteLinear linear(const std::string& name, std::int64_t inputs, std::int64_t outputs, Outputs which) const;
  /// The matrix of this name, without a bias.
  ByteLinear matrix(const std::string& name, std::int64_t inputs, std::int64_t outputs, Outputs which) const;
  /// Several of `name`.weight and `name`.bias, one after the other.
  ByteLinear joined(const std::vector<std::string>& names, std::int64_t inputs, std::int64_t outputs) const;
  /// As `linear` of a matrix stored as inputs × outputs.
  ByteLinear transposed(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                        Outputs which) const;

 private:
  struct Bytes {
    const std::int8_t* values = nullptr;
    std::vector<std::int8_t> owned;
    std::vector<float> scales;
  };
  const StoredTensor& stored(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return files_->find_tensor(prefix_ + name, shape);
  }
  Bytes bytes(const std::string& name, std::int64_t rows, std::int64_t columns) const;

  const CheckpointFiles* files_;
  std::string prefix_;
};

}  // namespace sotto::lm
