// What the playground shows while somebody drags: a text under public noise at several ε. It is never a
// release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sotto/attacker_success.hpp>
#include <sotto/composition.hpp>
#include <sotto/explain.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/result.hpp>

#include "playground/token_pairs.hpp"

namespace sotto::server {

inline constexpr std::size_t kMostPreviewCharacters = 2'000;  // Unicode code points
inline constexpr std::size_t kMostGeneratedCharacters = 300;  // where a language model writes a new text
inline constexpr std::size_t kMostPreviewEpsilons = 12;
inline constexpr double kSmallestPreviewEpsilon = 0.001;
inline constexpr double kLargestPreviewEpsilon = 1'000;

struct PreviewRequest {
  std::string text;
  PrivatizeOptions options;  ///< mechanism without ε, and policy; the rest is ignored
  std::vector<double> epsilons;
  std::uint64_t draw = 0;  ///< another number is another draw
  /// Whether to measure: `kept` is then a mean over several draws, and `similarity` is there.
  bool measure = false;
};

/// A token of the text.
struct PreviewToken {
  TextToken place;
  bool clear = false;  ///< the policy keeps it as it is
};

/// The text at one ε.
struct PreviewSetting {
  double epsilon = 0;
  std::string text;
  std::vector<std::string> outputs;     ///< one per token; empty: tokens and outputs do not match
  std::vector<bool> changed;            ///< as many: whether it is another word
  std::optional<double> kept;           ///< share of the privatized tokens; empty: there is none
  std::uint64_t draws = 0;              ///< under the guarantee, for the document
  std::uint64_t sentence_draws = 0;     ///< the same for the longest sentence; 0: sentences have no bound
  Guarantee guarantee;                  ///< of a release with these options, per draw
  std::optional<ComposedLoss> loss;     ///< of the document; empty: nothing is promised
  std::optional<double> sentence_loss;  ///< ε of the longest sentence
  std::optional<AttackerSuccess> attacker;
  std::optional<double> similarity;
};

struct Preview {
  MechanismSpec mechanism;  ///< with complete parameters; its ε is not used
  MechanismKind kind = MechanismKind::word_by_word;
  std::string text;  ///< the tokens refer to it
  std::vector<PreviewToken> tokens;
  std::vector<PreviewSetting> settings;  ///< in the order of the request
  std::vector<double> pending;           ///< not reached in time: ask again
  std::optional<TypicalMetricDistances> typical;
};

/// The nearest ε of two significant digits, so that openings are shared; an error outside the playground's
/// range.
Result<double> preview_epsilon(double epsilon);

/// Draws previews. Safe to use from several threads.
class Previewer {
 public:
  Previewer();
  ~Previewer();

  /// nullptr: other previews took too long to open; ask again. An error names what is wrong with the request.
  Result<std::unique_ptr<Preview>> preview(const PreviewRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sotto::server
