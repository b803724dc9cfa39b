// With a language model: what masked and generated texts have in common.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "lm/calibration.hpp"
#include "lm/draw_law.hpp"
#include "pipeline/rewrite/text_mechanism.hpp"

namespace sotto::pipeline {

/// One draw from a language model's answers.
struct ModelDraw {
  Guarantee guarantee;
  lm::LogitBounds bounds;
  lm::LawKind law = lm::LawKind::bounded;
  std::uint64_t outcomes = 0;  ///< number of words or tokens that it chooses from
  std::string mode = {};       ///< of a masked model
  std::optional<double> wander = std::nullopt;
  bool by_model = false;  ///< the model itself draws (lm::WordDrawer)
};

class LanguageTextMechanism : public TextMechanism {
 public:
  std::string model_name() const final { return folder_.filename().string(); }
  std::string model_digest() const final { return digest_; }
  Guarantee guarantee(const Counts& counts) const final;
  void add_to(random::CanonicalConfiguration& configuration) const final;
  void add_to(Receipt& receipt) const final;

  /// Refuses the file that the bounds were estimated on: bounds must be constants that do not depend on the
  /// texts.
  Result<void> check_inputs(std::span<const std::filesystem::path> inputs,
                            const base::TextEncoding& encoding) const final;

  std::size_t chunk_bytes(bool with_ledger) const final;
  unsigned threads(unsigned requested) const final;

 protected:
  LanguageTextMechanism(MechanismKind kind, const PrivatizeOptions& options) : TextMechanism(kind, options) {}

  /// Completes the object, or says why it cannot be.
  Result<void> open(const MechanismInfo& info, const ParameterValues& parameters);

  tl::unexpected<Error> no_bounds() const;

  std::filesystem::path folder_;
  /// What else determines the distribution, by name: the digests of other files that are read, and the
  /// arithmetic. All of it is part of the configuration.
  std::map<std::string, std::string> law_;
  std::optional<lm::Calibration> calibration_;  // the basis of the bounds; empty: the model's architecture

 private:
  /// Opens the model in folder_. Clears calibration_ if the bounds come from the architecture.
  virtual Result<ModelDraw> open_model(const MechanismInfo& info, const ParameterValues& parameters) = 0;

  std::string digest_;  // of all files of the model
  ModelDraw draw_;
  Precision precision_ = Precision::f32;  // that the model is computed with
  bool anywhere_ = false;                 // its answers are the same on every processor
};

}  // namespace sotto::pipeline
