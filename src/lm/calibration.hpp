// Bounds of a model's logits, measured on public text and stored next to the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sotto/result.hpp>

#include "lm/generation.hpp"
#include "lm/language_model.hpp"
#include "lm/word_filler.hpp"

namespace sotto::lm {

inline constexpr const char* kCalibrationFile = "sotto-calibration.json";
inline constexpr std::size_t kCalibrationTexts = 1000;

struct Calibration {
  LogitBounds bounds;  ///< μ and μ + 4σ
  double mean = 0;
  double deviation = 0;
  std::uint64_t texts = 0;
  std::uint64_t logits = 0;  ///< that were examined
  std::string model_digest;  ///< of the model they belong to
  std::string text_digest;   ///< SHA-256 of the public file
};

/// Up to kCalibrationTexts lines of a text with one document per line, chosen uniformly by fixed, public
/// coins; lines without a word do not count.
std::vector<std::string> choose_texts(std::string_view text);

/// From the logits of the possible output words, for one masked word per text; digests are left empty.
Result<Calibration> calibrate(const WordFiller& filler, std::span<const std::string> texts);
/// From the logits of the first tokens written for each text, when the text itself is written.
Result<Calibration> calibrate(const TextWriter& writer, std::span<const std::string> texts);

/// The file in the folder. Reading returns nullopt if there is none; one made for another model is an error.
Result<void> store_calibration(const std::filesystem::path& folder, const Calibration& calibration);
Result<std::optional<Calibration>> read_calibration(const std::filesystem::path& folder,
                                                    const std::string& model_digest);

}  // namespace sotto::lm
