// The contents of a model file beyond the container: reserved metadata, limits, and how to write one.
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

namespace sotto::embed {

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormatName = "sotto-model";
inline constexpr std::string_view kVersionKey = "version";
inline constexpr std::string_view kFormatVersion = "1";
inline constexpr std::string_view kScaleKey = "scale";
/// For each list, the name of the model it was built from; a JSON array as text.
inline constexpr std::string_view kListSourcesKey = "list_sources";
/// For each list, the digest of that model, in the same form.
inline constexpr std::string_view kListDigestsKey = "list_source_digests";

/// For the phrases that a model may carry (collocation/phrase_table.hpp).
inline constexpr std::string_view kPhrasesKey = "phrase_version";

/// Within these, no distance between two words and no product of one with an ε overflows or underflows.
inline constexpr double kSmallestScale = 1e-60;
inline constexpr double kLargestScale = 1e60;

/// Reserves the last two ids: ⊥, and "none" in tables.
inline constexpr std::uint64_t kLargestVocabulary = 0xFFFFFFFE;

/// True for keys that the format itself uses and that Model::metadata() therefore hides.
bool is_reserved_metadata(std::string_view key);

/// Refuses reserved and repeated keys, empty keys, and text that is not UTF-8.
Result<base::Metadata> check_metadata(const std::vector<std::pair<std::string, std::string>>& given);

/// The parts of a model file. Empty ones are omitted.
struct ModelParts {
  std::vector<std::uint64_t> offsets;  ///< one more than the number of words
  std::string_view words;
  std::span<const std::uint64_t> counts;
  std::vector<std::vector<TokenId>> lists;
  std::uint32_t dimension = 0;  ///< 0: no vectors
  int bits = 16;
  double scale = 0;
  /// Passes the vectors row by row, n · dimension integers of `bits` bits.
  std::function<Result<void>(const base::ByteSink&)> write_vectors;
  base::Metadata metadata;                   ///< in addition to format, version, scale and digest
  std::vector<base::TensorToWrite> further;  ///< further contents of the file, for example its phrases
};

/// Writes a model file, complete or not at all. Returns the SHA-256 in its header.
Result<std::string> write_model(const std::filesystem::path& file, const ModelParts& parts);

}  // namespace sotto::embed
