#include "lm/torch/layers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "lm/engine/attention.hpp"
#include "lm/engine/float_kernels.hpp"
#include "lm/torch/failure.hpp"

namespace sotto::lm {
namespace {

// Products of fewer multiplications, about a millisecond's worth, finish before a second thread pays off.
constexpr std::int64_t kWorthThreads = 1 << 25;
constexpr std::int64_t kBytesWorthThreads = 1 << 27;

// Rounds in storage order, without a second copy of the 32-bit numbers.
std::shared_ptr<const ByteMatrix> rounded(const at::Tensor& weight) {
  const std::int64_t rows = weight.size(0);
  const std::int64_t columns = weight.size(1);
  std::vector<std::int8_t> values(static_cast<std::size_t>(rows * columns));
  std::vector<float> scales(static_cast<std::size_t>(rows));
  const auto* data = weight.data_ptr<float>();
  base::parallel_for(scales.size(), 256, base::thread_count(0), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      scales[r] =
          to_bytes(data + static_cast<std::int64_t>(r) * weight.stride(0), static_cast<std::size_t>(columns),
                   static_cast<std::size_t>(weight.stride(1)), values.data() + r * columns);
  });
  return std::make_shared<const ByteMatrix>(values.data(), scales.data(), rows, columns);
}

}  // namespace

Linear Linear::from_matrix(const Weights& weights, const std::string& matrix, std::int64_t inputs,
                           std::int64_t outputs, at::Tensor bias, Layout layout) {
  Linear result;
  result.bias_ = std::move(bias);
  const bool transposed = layout == Layout::inputs_first;
  const std::vector<std::int64_t> shape =
      transposed ? std::vector<std::int64_t>{inputs, outputs} : std::vector<std::int64_t>{outputs, inputs};
  if (weights.runtime().bytes && !transposed) {
    if (const ByteRows rows = weights.byte_rows(matrix, shape); rows.values.defined()) {
      result.bytes_ = std::make_shared<const ByteMatrix>(rows.values.data_ptr<std::int8_t>(),
                                                         rows.scales.data_ptr<float>(), outputs, inputs);
      return result;
    }
  }
  const at::Tensor stored = weights.tensor(matrix, shape);
  const at::Tensor weight = transposed ? stored.t() : stored;
  if (!weights.runtime().bytes) {
    result.weight_ = weight;
    return result;
  }
  result.bytes_ = rounded(weight);
  // The original is not read again in full, so the file is never in memory as a whole.
  weights.release_pages(matrix);
  return result;
}

Linear::Linear(const Weights& weights, const std::string& name, std::int64_t inputs, std::int64_t outputs,
               Bias bias, Layout layout)
    : Linear(from_matrix(weights, name + ".weight", inputs, outputs,
                         bias == Bias::yes ? weights.tensor(name + ".bias", {outputs}) : at::Tensor(),
                         layout)) {}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  const std::int64_t outputs = bytes_ ? static_cast<std::int64_t>(bytes_->rows()) : weight_.size(0);
  const std::int64_t threads =
      x.numel() * outputs < (bytes_ ? kBytesWorthThreads : kWorthThreads) ? 1 : ThreadSpread::threads();
  if (!bytes_ && (threads == 1 || x.device() != at::kCPU)) return at::linear(x, weight_, bias_);
  const at::Tensor vectors = x.reshape({-1, x.size(-1)}).contiguous();
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = outputs;
  at::Tensor out = at::empty({vectors.size(0), outputs}, vectors.options());
  // Each thread computes some of the outputs.
  constexpr auto kPanel = static_cast<std::int64_t>(ByteMatrix::kPanel);
  const std::int64_t grain = ((outputs + threads - 1) / threads + kPanel - 1) / kPanel * kPanel;
  base::parallel_for(static_cast<std::size_t>(outputs), static_cast<std::size_t>(grain),
                     static_cast<unsigned>(threads), [&](std::size_t begin, std::size_t end) {
                       const ThreadSpread alone(1);
                       multiply_part(vectors, static_cast<std::int64_t>(begin),
                                     static_cast<std::int64_t>(end - begin), out);
                     });
  return out.view(shape);
}

void Linear::multiply_part(const at::Tensor& vectors, std::int64_t first, std::int64_t count,
                           at::Tensor& out) const {
  if (bytes_) {
    const auto number = static_cast<std::size_t>(vectors.size(0));
    ByteVectors rounded;
    rounded.reset(number, bytes_->columns());
    for (std::size_t i = 0; i < number; ++i)
      rounded.set(i, vectors.data_ptr<float>() + i * bytes_->columns());
    bytes_->multiply(rounded, bias_.defined() ? bias_.data_ptr<float>() : nullptr, out.data_ptr<float>(),
                     bytes_->rows(), {static_cast<std::size_t>(first), static_cast<std::size_t>(count)});
    return;
  }
  at::Tensor part = out.narrow(1, first, count);
  const at::Tensor weight = weight_.narrow(0, first, count).t();
  if (bias_.defined())
    at::addmm_out(part, bias_.narrow(0, first, count), vectors, weight);
  else
    at::mm_out(part, vectors, weight);
}

Norm::Norm(const Weights& weights, const std::string& name, std::int64_t size, double epsilon, Bias bias)
    : epsilon_(epsilon) {
  const bool old = !weights.has(name + ".weight") && weights.has(name + ".gamma");
  weight_ = weights.tensor(name + (old ? ".gamma" : ".weight"), {size});
  if (bias == Bias::yes) bias_ = weights.tensor(name + (old ? ".beta" : ".bias"), {size});
}

at::Tensor Norm::operator()(const at::Tensor& x) const {
  if (bias_.defined()) return at::layer_norm(x, weight_.sizes(), weight_, bias_, epsilon_);
  return (x * at::rsqrt(x.square().mean(-1, true) + epsilon_)).mul_(weight_);
}

at::Tensor activate(Activation activation, at::Tensor x) {
  switch (activation) {
    case Activation::gelu:
      if (x.device() != at::kCPU || !x.is_contiguous()) return at::gelu_(x);
      gelu(x.data_ptr<float>(), static_cast<std::size_t>(x.numel()));
      return x;
    case Activation::gelu_tanh:
      return at::gelu_(x, "tanh");
    case Activation::relu:
      return x.relu_();
    case Activation::silu:
      return at::silu_(x);
  }
  return x;
}

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.unflatten(2, {heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor join_heads(const at::Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& bias,
                  double scale) {
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1)).mul_(scale);
  if (bias.defined()) scores.add_(bias);
  return at::matmul(scores.softmax(-1), v);
}

namespace {

/// attend_within() for a batch in groups.
at::Tensor attend_in_groups(const Inputs& inputs, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, std::int64_t heads, double scale) {
  const bool everywhere = q.size(1) == k.size(1);
  std::vector<at::Tensor> parts;
  for (const AttentionGroup& group : inputs.groups) {
    const auto padded = [&](const at::Tensor& x) {
      return split_heads(x.index_select(1, group.rows).view({group.count, group.longest, x.size(2)}), heads);
    };
    const at::Tensor queries =
        everywhere
            ? padded(q)
            : split_heads(q.narrow(1, group.first, group.count).view({group.count, 1, q.size(2)}), heads);
    const at::Tensor context = join_heads(attend(queries, padded(k), padded(v), group.mask, scale));
    parts.push_back(context.view({1, -1, q.size(2)}));
  }
  const at::Tensor all = at::cat(parts, 1);
  return everywhere ? all.index_select(1, inputs.padded_rows) : all;
}

}  // namespace

at::Tensor attend_within(const Inputs& inputs, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         std::int64_t heads) {
  const std::int64_t width = q.size(2);
  const std::int64_t size = width / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  if (inputs.begins.empty())
    return join_heads(
        attend(split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), inputs.mask, scale));
  if (!inputs.groups.empty()) return attend_in_groups(inputs, q, k, v, heads, scale);
  const bool everywhere = q.size(1) == k.size(1);
  at::Tensor out = at::empty({1, q.size(1), width}, q.options());
  const auto row = [](const at::Tensor& x, std::int64_t i) {
    return AttentionRows{x.data_ptr<float>() + i * x.stride(1), static_cast<std::size_t>(x.stride(1))};
  };
  base::parallel_for(inputs.begins.size() - 1, 1, ThreadSpread::threads(), [&](std::size_t i, std::size_t) {
    thread_local std::vector<float> scratch;
    const std::int64_t first = inputs.begins[i];
    const auto keys = static_cast<std::size_t>(inputs.begins[i + 1] - first);
    const std::int64_t query = everywhere ? first : static_cast<std::int64_t>(i);
    KeyValues seen(static_cast<std::size_t>(heads), static_cast<std::size_t>(size));
    seen.append(row(k, first), row(v, first), keys);
    attend({row(q, query), everywhere ? keys : 1, 0, static_cast<float>(scale)}, seen,
           out.data_ptr<float>() + query * width, scratch);
  });
  return out;
}

at::Tensor pick(const Inputs& inputs, const at::Tensor& x, const at::Tensor& at) {
  return inputs.begins.empty() ? pick(x, at) : x.index_select(1, at);
}

at::Tensor pick(const at::Tensor& x, const at::Tensor& at) {
  return x.gather(1, at.view({-1, 1, 1}).expand({x.size(0), 1, x.size(2)}));
}

}  // namespace sotto::lm
