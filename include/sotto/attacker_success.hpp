// What an attacker gets at an ε, so that no ε stands alone. Measured once for the shipped models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/api.hpp>
#include <sotto/mechanism.hpp>

namespace sotto {

struct Receipt;

/// How a measured figure relates to the true one.
enum class FigureBound {
  about,     ///< measured, or interpolated between two measured ε
  at_most,   ///< ε is below all measured ones
  at_least,  ///< ε is above all measured ones
};

/// The success of an attacker who knows the mechanism, ε and the public frequencies of words, and guesses
/// each word by itself. One who also reads the context, or who has the rest of the text, does better.
struct AttackerSuccess {
  double success = 0;            ///< share of the privatized words that the best guess recovers
  double changed = 0;            ///< share of the privatized words that become another word
  double blind = 0;              ///< success without seeing the output
  std::uint64_t candidates = 0;  ///< the attacker knows that the word is one of this many
  FigureBound bound = FigureBound::about;
  std::string model;  ///< the one it was measured for
};

/// The figures for a mechanism with its default parameters and the model of this digest; empty if they were
/// not measured, in particular for all other models and parameters. Thread-safe.
SOTTO_API std::optional<AttackerSuccess> attacker_success(std::string_view mechanism, double epsilon,
                                                          const ParameterValues& parameters,
                                                          std::string_view model_digest);

/// Same for an open mechanism. Thread-safe.
SOTTO_API std::optional<AttackerSuccess> attacker_success(const OpenMechanism& open);

/// Same for a run. Empty also if tokens had different ε, if words were joined into phrases, and if the noise
/// was public. Thread-safe.
SOTTO_API std::optional<AttackerSuccess> attacker_success(const Receipt& receipt);

/// For example "an attacker with public frequencies recovers about 72% of the words (of 1,000 candidates;
/// blindly 10%; measured for sotto-en-lists)". Thread-safe.
SOTTO_API std::string describe(const AttackerSuccess& figures);

/// The ε between which a setting is worth a thought: below, the output is noise; above, hardly a word
/// changes.
struct UsefulRange {
  double low = 0;          ///< the attacker's success has risen by 5% of what it can rise above its floor
  double high = 0;         ///< all but 5% of the words that can stay do stay
  AttackerSuccess at_low;  ///< the figures there
  AttackerSuccess at_high;
  bool flat =
      false;  ///< epsilon hardly matters to the attacker; low and high are the ends of what was measured
};

/// The range of a mechanism with its default parameters and model; empty if it was not measured. Thread-safe.
SOTTO_API std::optional<UsefulRange> useful_range(std::string_view mechanism);

/// For example "0.03 to 4.1, where an attacker recovers 15% to 96% of the words", or that ε hardly matters.
/// Thread-safe.
SOTTO_API std::string describe(const UsefulRange& range);

}  // namespace sotto
