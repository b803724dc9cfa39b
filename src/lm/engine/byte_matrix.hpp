// Products of 32-bit vectors with a matrix of 8-bit weights: each vector is rounded to bytes with its own
// scale, the products are exact integers, and the scales are applied at the end. Compiled for every
// instruction set that Highway knows, chosen at run time, with the same bits in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::lm {

/// Memory aligned to a register.
template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t count) : storage_(count * sizeof(T) + kAlignment) {}
  /// What was in it is lost.
  void grow(std::size_t count) {
    if (storage_.size() < count * sizeof(T) + kAlignment)
      storage_ = std::vector<std::byte>(count * sizeof(T) + kAlignment);
  }
  T* data() {
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(storage_.data()) % kAlignment;
    return reinterpret_cast<T*>(storage_.data() + (kAlignment - beyond) % kAlignment);
  }
  const T* data() const { return const_cast<AlignedBuffer*>(this)->data(); }

 private:
  static constexpr std::size_t kAlignment = 64;
  std::vector<std::byte> storage_;
};

struct ByteKernels;

/// Vectors rounded for products. Reusable.
class ByteVectors {
 public:
  /// Room for `count` vectors of `columns` numbers; what was in it is lost.
  void reset(std::size_t count, std::size_t columns);
  /// Rounds a vector: value ≈ byte · scale, with the largest magnitude at ±127. One that has a number that is
  /// not finite gets the scale NaN. Thread-safe for different i.
  void set(std::size_t i, const float* vector);
  std::size_t count() const { return count_; }

 private:
  friend class ByteMatrix;
  const ByteKernels* kernels_ = nullptr;
  std::size_t count_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;  // bytes between vectors
  AlignedBuffer<std::uint8_t> bytes_;
  std::vector<float> scales_;
};

/// A matrix of `rows` outputs and `columns` inputs. Immutable, so safe to share between threads.
class ByteMatrix {
 public:
  /// Rows are stored in groups of this size.
  static constexpr std::size_t kPanel = 64;
  struct Rows {
    std::size_t first;  ///< a multiple of kPanel
    std::size_t count;
  };
  enum class Into { replace, add };

  /// From bytes in row-major order; row r represents scales[r] · its bytes. Bytes lie in [−127, 127].
  ByteMatrix(const std::int8_t* values, const float* scales, std::size_t rows, std::size_t columns);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// out[v · stride + r] = row r · vector v, plus bias[r] unless `bias` is null; or added to what is there.
  /// For some of the rows.
  void multiply(const ByteVectors& vectors, const float* bias, float* out, std::size_t stride, Rows which,
                Into into = Into::replace) const;
  void multiply(const ByteVectors& vectors, const float* bias, float* out, std::size_t stride,
                Into into = Into::replace) const {
    multiply(vectors, bias, out, stride, {0, rows_}, into);
  }

 private:
  const ByteKernels* kernels_;  // whose order the weights are in
  std::size_t rows_;
  std::size_t columns_;
  std::size_t steps_;  // multiplications of four bytes of a vector
  AlignedBuffer<std::int8_t> packed_;
  AlignedBuffer<std::int32_t> offsets_;  // per row, added to the sum
  AlignedBuffer<float> scales_;
};

/// The instruction set used here by the products and the other kernels compiled with Highway.
const char* byte_kernel_name();

/// Rounds a row to bytes: value ≈ byte · the returned scale, with the largest magnitude at ±127.
float to_bytes(const float* row, std::size_t count, std::size_t stride, std::int8_t* out);

}  // namespace sotto::lm
