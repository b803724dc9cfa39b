// A mechanism that rewrites whole texts, with its language model.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "lm/calibration.hpp"
#include "lm/generation.hpp"
#include "lm/masked_mechanism.hpp"

namespace sotto {

/// Immutable, so safe to share between threads. Exactly one of `masked` and `generation` is set.
struct LanguageMechanism {
  /// `parameters` are complete. Refuses options that make no sense with a language model.
  static Result<std::shared_ptr<const LanguageMechanism>> make(const PrivatizeOptions& options,
                                                               const MechanismInfo& info,
                                                               const ParameterValues& parameters);

  /// The guarantee of one draw. If the policy lets words decide which places are drawn, the places reveal
  /// something about the words, and nothing is guaranteed.
  Guarantee guarantee(const Policy& policy) const;
  LanguageModelReceipt receipt(const PrivatizeOptions& options) const;
  const LogitBounds& bounds() const;

  std::filesystem::path folder;
  std::string digest;  ///< of all files of the model
  /// What else determines the distribution, by name: the digests of other files that are read, and the
  /// arithmetic. All of it is part of the configuration.
  std::map<std::string, std::string> law;
  std::shared_ptr<const MaskedMechanism> masked;
  std::shared_ptr<const GenerationMechanism> generation;
  std::optional<Calibration> calibration;  ///< the basis of the bounds; empty: the model's architecture
};

/// Returns an error if an input is the file that the bounds were estimated on: bounds must be constants that
/// do not depend on the texts.
Result<void> check_calibration(const LanguageMechanism& mechanism,
                               std::span<const std::filesystem::path> inputs);

}  // namespace sotto
