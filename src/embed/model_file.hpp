// What a model file holds besides the container: the reserved metadata, the limits, and how one is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "base/safetensors.hpp"

namespace sotto {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormatName = "sotto-model";
inline constexpr std::string_view kVersionKey = "version";
inline constexpr std::string_view kFormatVersion = "1";
inline constexpr std::string_view kScaleKey = "scale";
/// For each list the name of the model it was built from, a JSON array as text.
inline constexpr std::string_view kListSourcesKey = "list_sources";
/// For each list the digest of that model, likewise.
inline constexpr std::string_view kListDigestsKey = "list_source_digests";

/// Of the phrases that a model may carry (collocation/phrase_table.hpp).
inline constexpr std::string_view kPhrasesKey = "phrase_version";

/// Within these every distance of two words, and its product with any ε, is a number that neither overflows
/// nor vanishes.
inline constexpr double kSmallestScale = 1e-60;
inline constexpr double kLargestScale = 1e60;

/// The last two ids stay free: ⊥, and "none" in tables.
inline constexpr std::uint64_t kLargestVocabulary = 0xFFFFFFFE;

/// True for keys that the format itself uses and Model::metadata() therefore does not show.
bool is_reserved_metadata(std::string_view key);

/// Refuses reserved and repeated keys, empty keys, and text that is not UTF-8.
Result<Metadata> check_metadata(const std::vector<std::pair<std::string, std::string>>& given);

/// The parts of a model file. What is empty is left out.
struct ModelParts {
  std::vector<std::uint64_t> offsets;  ///< one more than there are words
  std::string_view words;
  std::span<const std::uint64_t> counts;
  std::vector<std::vector<TokenId>> lists;
  std::uint32_t dimension = 0;  ///< 0: no vectors
  int bits = 16;
  double scale = 0;
  /// Passes the vectors row by row, n · dimension integers of `bits` bits.
  std::function<Result<void>(const ByteSink&)> write_vectors;
  Metadata metadata;                   ///< besides format, version, scale and digest
  std::vector<TensorToWrite> further;  ///< what else goes into the file, for example its phrases
};

/// Writes a model file, complete or not at all. Returns the SHA-256 in its header.
Result<std::string> write_model(const std::filesystem::path& file, const ModelParts& parts);

}  // namespace sotto
