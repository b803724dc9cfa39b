// Readers for foreign vector files. The format is recognised by content, never by file name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "base/compressed_input.hpp"
#include "embed/vector_table.hpp"

namespace sotto::embed {

struct VectorSource {
  base::BufferedInput& input;
  VectorTable& table;  ///< filled by the reader
  const ProgressCallback& progress;
  std::uint64_t skipped = 0;  ///< words omitted because they contain blanks

  /// Calls the progress callback; returns an error if it requests a stop.
  Result<void> report_progress() const;
};

/// The first line of word2vec and fastText .vec files.
struct VectorHeader {
  std::uint64_t words;
  std::uint64_t dimension;
};

/// Recognises the format and reads the wanted vectors. Returns the format's name.
Result<std::string_view> read_vectors(VectorSource& source);

// Readers for one format each. The header, if any, is already consumed.

/// Lines of the form "word number … number". Without a header (GloVe) the first line determines the
/// dimension: all its columns but the first must be numbers. A line with more columns than that is a word
/// with blanks inside (GloVe 840B has some, such as "at name@domain.com") if its last columns are numbers and
/// the one before them is not; such words are omitted and counted, because no token of a text can match one.
/// Any other line with a wrong number of columns is an error.
Result<void> read_text_vectors(VectorSource& source, const std::optional<VectorHeader>& header);

/// Records of "word", a blank, `dimension` little-endian floats, and sometimes a newline.
Result<void> read_word2vec_binary(VectorSource& source, const VectorHeader& header);

/// A fastText model (.bin): a word's vector is the mean of its own row and those of its character n-grams, as
/// in fastText itself except for the order of addition. Counts come from the dictionary.
Result<void> read_fasttext_binary(VectorSource& source);

/// The first four bytes of a fastText model.
inline constexpr std::int32_t kFasttextMagic = 793712314;

}  // namespace sotto::embed
