#include "mechanisms/noise/gumbel_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/lambert_w.hpp>
#include <fmt/format.h>

#include "base/message.hpp"
#include "base/parallel.hpp"

namespace sotto::mechanism {
namespace {

double rounded_to_32_bits(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(fraction * 0x1p32), exponent - 32);
}

// A value above `bound` that is short enough to read and type.
std::string just_above(double bound) {
  return fmt::format("{:.6g}", bound * (1 + 1e-5));
}

}  // namespace

double real_lambert_w0(double x) {
  const double branch_point = -1 / std::numbers::e;
  if (x >= branch_point) return boost::math::lambert_w0(x);
  // W = u + iv with v in (0, π), u = −v·cot v and |x| = v/sin v · e^u, which increases with v from 1/e.
  double low = 0;
  double high = std::numbers::pi;
  double v = high / 2;
  while (low < v && v < high) {
    const double log_size = std::log(v / std::sin(v)) - v / std::tan(v);
    (log_size < std::log(-x) ? low : high) = v;
    v = low + (high - low) / 2;
  }
  return -v / std::tan(v);
}

Result<WordDistances> word_distances(const NoiseSpace& space, unsigned threads) {
  constexpr std::size_t kRowsAtOnce = 24;
  const std::size_t words = space.search().size();
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = 0;
  std::mutex mutex;
  // Rows of large models exceed what malloc keeps; fresh memory for each block would have to be mapped and
  // cleared every time.
  std::vector<std::vector<std::int64_t>> free_buffers;
  base::parallel_for(
      words, kRowsAtOnce, base::thread_count(threads), [&](std::size_t begin, std::size_t end) {
        std::vector<std::int16_t> queries((end - begin) * space.dimension());
        std::vector<std::int64_t> squares;
        if (const std::lock_guard lock(mutex); !free_buffers.empty()) {
          squares = std::move(free_buffers.back());
          free_buffers.pop_back();
        }
        squares.resize((end - begin) * words);
        for (std::size_t i = begin; i < end; ++i)
          space.copy_vector(static_cast<TokenId>(i),
                            std::span(queries).subspan((i - begin) * space.dimension(), space.dimension()));
        space.search().squared_distances(queries, squares);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::int64_t most = 0;
        for (const std::int64_t square : squares) {
          most = std::max(most, square);
          least = std::min(least, square == 0 ? least : square);
        }
        const std::lock_guard lock(mutex);
        smallest = std::min(smallest, least);
        largest = std::max(largest, most);
        free_buffers.push_back(std::move(squares));
      });
  if (largest == 0)
    return fail_parameter("model", space.model().name(),
                          fmt::format("the vectors of '{}' are all equal; give a model with different ones",
                                      space.model().name()));
  const double scale = space.model().scale();
  return WordDistances{std::sqrt(static_cast<double>(largest)) * scale,
                       std::sqrt(static_cast<double>(smallest)) * scale};
}

Result<double> gumbel_scale(GumbelCalibration calibration, double epsilon, std::uint32_t words,
                            const WordDistances& distances) {
  const double log_words = std::log(static_cast<double>(words));
  const double alpha = (epsilon - 2 * (1 + log_words) / distances.smallest) / 3;
  const double log_term = std::log(alpha * distances.smallest);  // NaN if α is negative
  const double lambert_term = real_lambert_w0(2 * alpha * distances.largest);
  const double defined_above = (5 + 2 * log_words) / distances.smallest;
  if (calibration == GumbelCalibration::theorem && !(log_term > 0))
    return fail_parameter(
        "epsilon", fmt::to_string(epsilon),
        base::format_message("'{}' is not allowed, because calibration=theorem is not defined for it on this "
                             "model; give at least {}, or {{parameters.calibration}}=paper",
                             epsilon, just_above(defined_above)));
  const double divisor = alpha > 0 ? std::min(lambert_term, log_term) : lambert_term;
  if (!(divisor > 0)) {
    // The real part of W₀(x) becomes positive below x = −π/2.
    const double below =
        2 * (1 + log_words) / distances.smallest - 3 * std::numbers::pi / (4 * distances.largest);
    const std::string less =
        below > 0 ? fmt::format("at most {:.6g} or ", below * (1 - 1e-5)) : std::string();
    return fail_parameter("epsilon", fmt::to_string(epsilon),
                          fmt::format("'{}' is not allowed, because the published scale is not positive for "
                                      "it on this model; give {}at least {}",
                                      epsilon, less, just_above(defined_above)));
  }
  return rounded_to_32_bits(2 * distances.largest / divisor);
}

}  // namespace sotto::mechanism
