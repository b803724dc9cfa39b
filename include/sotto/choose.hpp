// Choosing a mechanism and an ε for a text: what each does to it, and what an attacker still gets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/api.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/privatize_options.hpp>
#include <sotto/progress.hpp>
#include <sotto/result.hpp>

namespace sotto {

inline constexpr std::size_t kMostChosenMechanisms = 4;

struct ChooseOptions {
  FileOptions files;  ///< the private text: inputs, format and fields; nothing is written
  /// One to four mechanisms that replace word by word; their ε is ignored. Empty: diffractor-geometric,
  /// santext, tem and cmp.
  std::vector<MechanismSpec> mechanisms;
  /// Public text that resembles the private one, one document per line: the recommendation rests on it and on
  /// its word frequencies. Empty: sentences that are part of the library, and the frequencies in the model.
  std::optional<std::filesystem::path> public_text;
  /// Let the recommendation rest on the private text instead. It is then a function of that text, which no
  /// guarantee covers; epsilon_chosen_on of the recommended run says so.
  bool use_private = false;
  double most_recovered =
      0.25;  ///< largest share of the words that an attacker may recover, from 0.01 to 0.99
  /// Decides which documents are measured, and the draws on public text. Draws on private text are always
  /// made under a throwaway key.
  std::uint64_t seed = 1;
  MechanismResources resources;
  ProgressCallback progress;  ///< receives the number of measurements made and their approximate total
};

/// What a mechanism does at one ε to the words of a text that are in its model's vocabulary.
struct TextFigures {
  double changed = 0;                ///< share of these words that become another
  double recovered = 0;              ///< share that the attacker recovers
  double recovered_content = 0;      ///< the same among words that are no stopwords
  std::optional<double> similarity;  ///< mean cosine before and after by the encoder; empty: not measured
  double similarity_margin = 0;      ///< half of its 95% interval, by the normal approximation
};

struct ChoicePoint {
  double epsilon = 0;
  TextFigures public_text;
  std::optional<TextFigures> private_text;  ///< confidential; empty: it has no word of the vocabulary
};

struct SampleLine {
  std::string before;
  std::string after;
};

/// What was found out about one mechanism.
struct MechanismFindings {
  MechanismSpec mechanism;  ///< its ε is that of `at_limit`, if there is one
  std::string model;
  std::string unit;  ///< what ε multiplies; "pure" if nothing. ε of different units do not compare
  GuaranteeKind guarantee = GuaranteeKind::none;
  bool exact = false;            ///< changed and recovered are exact for the sample; otherwise drawn
  std::uint64_t candidates = 0;  ///< words among which the attacker guesses, on public text
  std::uint64_t private_candidates = 0;
  double blind = 0;                 ///< share recovered without seeing the output, on the text that decides
  double low = 0;                   ///< useful ε: below, the output is noise (see UsefulRange)
  double high = 0;                  ///< above, hardly a word changes
  std::vector<ChoicePoint> points;  ///< ascending ε, from low to high
  std::vector<ChoicePoint> curve;   ///< all ε tried on the text that decides, without similarity
  std::optional<std::size_t> at_limit;  ///< the point with the largest ε at which the attacker recovers at
                                        ///< most most_recovered; empty: it recovers more at any ε
  std::vector<SampleLine> samples;      ///< confidential: private lines at `at_limit`, else at the last point
};

/// A measured text, cut to what was measured.
struct MeasuredText {
  std::string source;
  std::uint64_t documents = 0;       ///< measured ones, each cut after 60 words
  std::uint64_t documents_seen = 0;  ///< the number they were drawn from
  bool whole = true;                 ///< false: only the beginning of the source was looked at
  std::uint64_t words = 0;           ///< measured words
  double unknown = 0;                ///< share of them outside the vocabulary of the first mechanism's model
};

/// "43 of 7646 documents": which part of the text was measured. Thread-safe.
SOTTO_API std::string documents_of(const MeasuredText& text);

/// Confidential as a whole, because it has figures and lines of the private text.
struct Choice {
  MeasuredText public_text;
  MeasuredText private_text;
  bool use_private = false;
  double most_recovered = 0;
  std::string encoder;         ///< measured similarity; empty: there is none
  std::string encoder_absent;  ///< why
  std::vector<MechanismFindings> mechanisms;
  std::optional<std::size_t> recommended;  ///< index into mechanisms; empty: none stays below most_recovered
  std::string reason;
  double seconds = 0;

  /// Of the recommended run.
  EpsilonBasis epsilon_chosen_on() const {
    return use_private ? EpsilonBasis::private_text : EpsilonBasis::public_text;
  }
};

/// As JSON (docs/schemas/choice.schema.json), ending in a newline. Thread-safe.
SOTTO_API std::string to_json(const Choice& choice);

/// As a page that loads nothing from elsewhere. `command` is shown as the way to run the recommendation;
/// each front end spells it in its own way. Thread-safe.
SOTTO_API std::string to_html(const Choice& choice, std::string_view command);

/// Whether write_choice_page() could write this file, to be asked before a long measurement. Thread-safe.
SOTTO_API Result<void> check_choice_page(const ChooseOptions& options, const std::filesystem::path& file);

/// Writes to_html() to a file that only its owner may read. Refuses to overwrite an input. Thread-safe.
SOTTO_API Result<void> write_choice_page(const Choice& choice, std::string_view command,
                                         const ChooseOptions& options, const std::filesystem::path& file);

/// Measures a sample of the text. The attacker knows the mechanism, ε and public frequencies, and that a word
/// is one of the candidates: the most frequent words and all words of the sample. It guesses each word by
/// itself; on mechanisms without a closed form it learns from draws, so its success is a lower bound there.
///
/// For each mechanism finds the useful range of ε by bisection and the largest ε that keeps the attacker
/// within most_recovered. Recommends, among mechanisms with a guarantee, the one that then keeps texts most
/// similar (without an encoder: changes fewest words): ε of different units do not compare, equal success
/// does. Thread-safe except while the first language model is loaded (see language_models.hpp).
SOTTO_API Result<Choice> choose(const ChooseOptions& options);

}  // namespace sotto
