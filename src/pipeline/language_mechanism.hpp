// A mechanism that rewrites whole texts, with the language model it uses.
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
#include "lm/dp_mlm.hpp"
#include "lm/generation.hpp"

namespace sotto {

/// Immutable, so safe to share between threads. One of `masked` and `generation` is there.
struct LanguageMechanism {
  /// `parameters` are complete. Options that make no sense with a language model are refused.
  static Result<std::shared_ptr<const LanguageMechanism>> make(const PrivatizeOptions& options,
                                                               const MechanismInfo& info,
                                                               const ParameterValues& parameters);

  /// What one draw promises. Where the policy lets words decide which places are drawn, the places tell about
  /// the words, and nothing is promised.
  Guarantee guarantee(const Policy& policy) const;
  LanguageModelReceipt receipt(const PrivatizeOptions& options) const;
  const LogitBounds& bounds() const;

  std::filesystem::path folder;
  std::string digest;  ///< of all files of the model
  /// What else decides the law, by name: the digests of other files that are read, and the arithmetic. All of
  /// it belongs to the configuration.
  std::map<std::string, std::string> law;
  std::shared_ptr<const MlmMechanism> masked;
  std::shared_ptr<const GenerationMechanism> generation;
  std::optional<Calibration> calibration;  ///< what the bounds rest on; empty: the model's architecture
};

/// An error when an input is the very file that the bounds were estimated on: bounds must be a constant that
/// the texts have no part in.
Result<void> check_calibration(const LanguageMechanism& mechanism,
                               std::span<const std::filesystem::path> inputs);

}  // namespace sotto
