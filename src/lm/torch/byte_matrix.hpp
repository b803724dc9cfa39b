// Products of 32-bit vectors with a matrix of 8-bit weights: each vector is rounded to bytes with its own
// scale, the products are exact integers, and the scales are applied at the end. Compiled for every
// instruction set that Highway knows, chosen at run time; independent of libtorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::lm {

/// Memory aligned to a register.
template <class T>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t count) : storage_(count * sizeof(T) + kAlignment) {}
  T* data() {
    const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(storage_.data()) % kAlignment;
    return reinterpret_cast<T*>(storage_.data() + (kAlignment - beyond) % kAlignment);
  }
  const T* data() const { return const_cast<AlignedBuffer*>(this)->data(); }

 private:
  static constexpr std::size_t kAlignment = 64;
  std::vector<std::byte> storage_;
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
  /// From bytes in row-major order; row r represents scales[r] · its bytes. Bytes lie in [−127, 127].
  ByteMatrix(const std::int8_t* values, const float* scales, std::size_t rows, std::size_t columns);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// out[v · rows() + r] = row r · vector v, plus bias[r] unless `bias` is null, for some of the rows.
  void multiply(const float* vectors, std::size_t count, const float* bias, float* out,
                const Rows& which) const;

 private:
  std::size_t rows_;
  std::size_t columns_;
  AlignedBuffer<std::int8_t> packed_;
  AlignedBuffer<std::int32_t> offsets_;  // per row −128 · its sum, because 128 is added to the vectors' bytes
  AlignedBuffer<float> scales_;
};

/// The instruction set used here by the products and the other kernels compiled with Highway.
const char* byte_kernel_name();

/// Rounds a row to bytes: value ≈ byte · the returned scale, with the largest magnitude at ±127.
float to_bytes(const float* row, std::size_t count, std::size_t stride, std::int8_t* out);

}  // namespace sotto::lm
