#include "lm/engine/tensor_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

constexpr const char* kScale = ".scale";

float from_half(std::uint16_t bits) {
  const bool negative = (bits & 0x8000) != 0;
  const int exponent = bits >> 10 & 0x1F;
  const auto fraction = static_cast<float>(bits & 0x3FF);
  float value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0x1F) value = fraction == 0 ? INFINITY : NAN;
  return negative ? -value : value;
}

template <class Stored>
Stored element_at(const base::TensorView& view, std::size_t i) {
  Stored value;
  std::memcpy(&value, view.bytes.data() + i * sizeof value, sizeof value);
  return value;
}

std::vector<float> floats_of(const StoredTensor& tensor) {
  const base::TensorView& view = tensor.view;
  std::vector<float> out(view.bytes.size() / base::element_size(view.type));
  const auto fill = [&](const auto& value_at) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at(i);
  };
  switch (view.type) {
    case base::TensorType::f32:
      std::memcpy(out.data(), view.bytes.data(), view.bytes.size());
      return out;
    case base::TensorType::f64:
      fill([&](std::size_t i) { return static_cast<float>(element_at<double>(view, i)); });
      return out;
    case base::TensorType::f16:
      fill([&](std::size_t i) { return from_half(element_at<std::uint16_t>(view, i)); });
      return out;
    case base::TensorType::bf16:
      fill([&](std::size_t i) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(element_at<std::uint16_t>(view, i)) << 16);
      });
      return out;
    default:
      break;
  }
  refuse(Errc::bad_format,
         fmt::format("{} has type {}; F32, F16, BF16, F64, or I8 with a tensor of scales are "
                     "allowed",
                     tensor.where, base::type_name(view.type)));
}

const std::int8_t* bytes_of(const StoredTensor& tensor) {
  return reinterpret_cast<const std::int8_t*>(tensor.view.bytes.data());
}

}  // namespace

void RowTable::copy_row(std::int32_t row, float* out) const {
  std::fill_n(out, width_, 0.0F);
  add_row(row, out);
}

void RowTable::add_row(std::int32_t row, float* out) const {
  const std::size_t at = static_cast<std::size_t>(row) * width_;
  if (bytes_ == nullptr) {
    for (std::size_t i = 0; i < width_; ++i) out[i] += numbers_[at + i];
    return;
  }
  const float scale = scales_[static_cast<std::size_t>(row)];
  for (std::size_t i = 0; i < width_; ++i) out[i] += static_cast<float>(bytes_[at + i]) * scale;
}

void ByteLinear::set(ByteVectors& vectors, std::size_t i, const float* vector, float* scratch) const {
  if (input_scales_.empty()) return vectors.set(i, vector);
  for (std::size_t c = 0; c < input_scales_.size(); ++c) scratch[c] = vector[c] * input_scales_[c];
  vectors.set(i, scratch);
}

std::vector<float> TensorReader::numbers(const std::string& name,
                                         const std::vector<std::int64_t>& shape) const {
  const StoredTensor& found = stored(name, shape);
  if (found.view.type != base::TensorType::i8 || !has(name + kScale)) return floats_of(found);
  const std::vector<float> scales = floats_of(stored(name + kScale, {shape[0]}));
  std::vector<float> out(found.view.bytes.size());
  const std::size_t columns = scales.empty() ? 0 : out.size() / scales.size();
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(bytes_of(found)[i]) * scales[i / columns];
  return out;
}

RowTable TensorReader::table(const std::string& name, std::int64_t rows, std::int64_t width) const {
  RowTable table;
  table.width_ = static_cast<std::size_t>(width);
  const StoredTensor& found = stored(name, {rows, width});
  if (found.view.type != base::TensorType::i8) {
    table.numbers_ = floats_of(found);
    return table;
  }
  table.scales_ = floats_of(stored(name + kScale, {rows}));
  table.file_ = found.file;
  table.bytes_ = bytes_of(found);
  return table;
}

RowNorm TensorReader::norm(const std::string& name, std::int64_t size, double epsilon) const {
  const bool old = !has(name + ".weight") && has(name + ".gamma");
  RowNorm norm;
  norm.weight_ = numbers(name + (old ? ".gamma" : ".weight"), {size});
  norm.bias_ = numbers(name + (old ? ".beta" : ".bias"), {size});
  norm.epsilon_ = static_cast<float>(epsilon);
  return norm;
}

TensorReader::Bytes TensorReader::bytes(const std::string& name, std::int64_t rows,
                                        std::int64_t columns) const {
  Bytes result;
  const StoredTensor& found = stored(name, {rows, columns});
  if (found.view.type == base::TensorType::i8) {
    result.values = bytes_of(found);
    result.scales = floats_of(stored(name + kScale, {rows}));
    return result;
  }
  const std::vector<float> floats = floats_of(found);
  result.owned.resize(floats.size());
  for (std::int64_t r = 0; r < rows; ++r)
    result.scales.push_back(to_bytes(floats.data() + r * columns, static_cast<std::size_t>(columns), 1,
                                     result.owned.data() + r * columns));
  result.values = result.owned.data();
  return result;
}

ByteLinear TensorReader::matrix(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                                Outputs which) const {
  const Bytes all = bytes(name, outputs, inputs);
  ByteLinear result;
  result.matrix_ = std::make_shared<const ByteMatrix>(
      all.values + which.first * inputs, all.scales.data() + which.first,
      static_cast<std::size_t>(which.count), static_cast<std::size_t>(inputs));
  return result;
}

ByteLinear TensorReader::linear(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                                Outputs which) const {
  ByteLinear result = matrix(name + ".weight", inputs, outputs, which);
  const std::vector<float> bias = numbers(name + ".bias", {outputs});
  result.bias_.assign(bias.begin() + which.first, bias.begin() + which.first + which.count);
  return result;
}

ByteLinear TensorReader::joined(const std::vector<std::string>& names, std::int64_t inputs,
                                std::int64_t outputs) const {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  ByteLinear result;
  for (const std::string& name : names) {
    const Bytes part = bytes(name + ".weight", outputs, inputs);
    values.insert(values.end(), part.values, part.values + outputs * inputs);
    scales.insert(scales.end(), part.scales.begin(), part.scales.end());
    const std::vector<float> bias = numbers(name + ".bias", {outputs});
    result.bias_.insert(result.bias_.end(), bias.begin(), bias.end());
  }
  result.matrix_ = std::make_shared<const ByteMatrix>(values.data(), scales.data(), scales.size(),
                                                      static_cast<std::size_t>(inputs));
  return result;
}

ByteLinear TensorReader::transposed(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                                    Outputs which) const {
  // The scales belong to the inputs, so vectors are multiplied by them and the bytes stay what they are.
  Bytes all = bytes(name + ".weight", inputs, outputs);
  std::vector<std::int8_t> values(static_cast<std::size_t>(which.count * inputs));
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t first = 0; first < which.count; first += kBlock)
    for (std::int64_t c = 0; c < inputs; ++c)
      for (std::int64_t r = first; r < std::min(which.count, first + kBlock); ++r)
        values[static_cast<std::size_t>(r * inputs + c)] = all.values[c * outputs + which.first + r];
  const std::vector<float> ones(static_cast<std::size_t>(which.count), 1);
  const std::vector<float> bias = numbers(name + ".bias", {outputs});
  ByteLinear result;
  result.bias_.assign(bias.begin() + which.first, bias.begin() + which.first + which.count);
  result.input_scales_ = std::move(all.scales);
  result.matrix_ = std::make_shared<const ByteMatrix>(values.data(), ones.data(), ones.size(),
                                                      static_cast<std::size_t>(inputs));
  return result;
}

}  // namespace sotto::lm
