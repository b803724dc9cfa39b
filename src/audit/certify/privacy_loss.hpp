// The largest loss of a mechanism, found by one function per form of rows (mechanisms/integer_rows.hpp).
#pragma once

#include <cstdint>
#include <string>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "mechanisms/integer_rows.hpp"
#include "mechanisms/loss/exact_loss.hpp"

namespace sotto::audit {

/// Two inputs, the output that distinguishes them, and what is known about the loss per unit of distance.
struct WorstPair {
  TokenId input = 0;
  TokenId other = 0;
  TokenId output = 0;
  double distance = 0;  ///< 0: there is no pair
  double loss = 0;      ///< rounded up
  mechanism::Bounds per_distance;

  /// Keeps the one with the greater upper bound.
  void keep(const WorstPair& found) {
    if (distance == 0 || found.per_distance.upper > per_distance.upper) *this = found;
  }
};

struct PrivacyLoss {
  std::string method;
  double epsilon = 0;  ///< no pair has a greater loss per unit of distance
  WorstPair worst;     ///< attains worst.per_distance.lower
  std::uint64_t inputs = 0;
  std::uint64_t pairs = 0;
  std::uint64_t exact_pairs = 0;
  std::uint64_t equal_inputs = 0;
};

struct SearchOptions {
  unsigned threads = 1;
  std::uint64_t sample = 0;             ///< only this many inputs; 0: all
  std::uint64_t memory = 512ULL << 20;  ///< bytes for what is stored about every row
  ProgressCallback progress;
};

/// All pairs of inputs, in the metric of the vectors.
Result<PrivacyLoss> find_metric_loss(const mechanism::MetricRows& rows, const SearchOptions& options);

/// The largest of the lists' certificates, which bounds the mixture of the lists.
Result<PrivacyLoss> find_place_loss(const mechanism::PlaceRows& rows);

/// By the law of the exact sampler: ε per list, which bounds the mixture of the lists.
Result<PrivacyLoss> find_geometric_loss(const mechanism::GeometricRows& rows);

/// All pairs within the groups, exactly.
Result<PrivacyLoss> find_pure_loss(const mechanism::PureRows& rows);

}  // namespace sotto::audit
