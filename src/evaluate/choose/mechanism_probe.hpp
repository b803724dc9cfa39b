// Measures one mechanism for sotto::choose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <sotto/choose.hpp>

#include "evaluate/choose/similarity_meter.hpp"
#include "evaluate/choose/text_sample.hpp"

namespace sotto::evaluate {

/// What all mechanisms are measured on.
struct ChoiceTexts {
  const PublicSample& public_text;
  const ChoiceText& private_text;
  EncodedTexts public_encoded;
  EncodedTexts private_encoded;
};

/// Counts measurements and asks the caller whether to go on.
class ChoiceProgress {
 public:
  /// About as many as a mechanism takes.
  static constexpr std::uint64_t kPerMechanism = 24;

  ChoiceProgress(const ProgressCallback& progress, std::size_t mechanisms)
      : progress_(progress), total_(mechanisms * kPerMechanism) {}

  Result<void> step();
  /// Asks without counting.
  bool go_on() const { return !progress_ || progress_(std::min(done_, total_), total_); }
  /// The next mechanism begins, however many measurements the last one took.
  void next_mechanism() { done_ = begin_ += kPerMechanism; }

 private:
  const ProgressCallback& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t begin_ = 0;
};

/// Finds its useful range and measures the points in it.
Result<MechanismFindings> probe_mechanism(const MechanismSpec& spec, const ChooseOptions& options,
                                          ChoiceTexts& texts, SimilarityMeter& similarity,
                                          ChoiceProgress& progress);

/// The share of words outside the vocabulary of the spec's model.
Result<double> unknown_share(const MechanismSpec& spec, const ChoiceText& text);

}  // namespace sotto::evaluate
