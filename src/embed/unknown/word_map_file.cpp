#include "embed/unknown/word_map_file.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/safetensors.hpp"
#include "text/token_folding.hpp"

namespace sotto::embed {
namespace {

constexpr std::string_view kWordMapFileFormat = "sotto-word-map";
constexpr std::string_view kWordMapFileVersion = "2";

tl::unexpected<Error> bad_map(std::string_view name, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", name, what));
}

Result<void> check_format(const base::Safetensors& parsed, std::string_view name) {
  const auto value = [&](const char* key) {
    const auto found = parsed.metadata.find(key);
    return found == parsed.metadata.end() ? std::string() : found->second;
  };
  if (value("format") != kWordMapFileFormat) return bad_map(name, "is not a word map");
  if (value("version") != kWordMapFileVersion)
    return bad_map(name, fmt::format("word maps of version '{}' are not supported, only {}", value("version"),
                                     kWordMapFileVersion));
  return {};
}

/// Reads the tensors of one file; `columns` is 0 for a list.
class TensorReader {
 public:
  TensorReader(const base::Safetensors& parsed, std::string_view name) : parsed_(parsed), name_(name) {}

  template <class T>
  Result<std::span<const T>> read(const char* tensor, base::TensorType type,
                                  std::uint64_t columns = 0) const {
    const base::TensorView* const found = parsed_.find(tensor);
    if (found == nullptr) return bad_map(name_, fmt::format("there is no tensor '{}'", tensor));
    const bool fits =
        found->type == type &&
        (columns == 0 ? found->shape.size() == 1 : found->shape.size() == 2 && found->shape[1] == columns);
    if (!fits) return bad_map(name_, fmt::format("tensor '{}' has another type or shape", tensor));
    return found->elements<T>();
  }

  Result<std::string_view> read_text(const char* tensor) const {
    SOTTO_ASSIGN(const auto bytes, read<char>(tensor, base::TensorType::u8));
    return std::string_view(bytes.data(), bytes.size());
  }

  Result<std::span<const std::uint8_t>> read_vectors(const char* tensor) const {
    return read<std::uint8_t>(tensor, base::TensorType::u8, kStoredVectorBytes);
  }

 private:
  const base::Safetensors& parsed_;
  std::string_view name_;
};

/// Words are looked up and measured letter by letter, so nothing else may be in them.
Result<void> check_words(const WordMapFile& file, std::string_view name) {
  if (file.lengths.empty() || file.lengths.size() > PublicWords::kMostWords)
    return bad_map(
        name, fmt::format("{} words; there should be 1 to {}", file.lengths.size(), PublicWords::kMostWords));
  if (file.frequencies.size() != file.lengths.size()) return bad_map(name, "not every word has a frequency");
  if (std::accumulate(file.lengths.begin(), file.lengths.end(), std::uint64_t{0}) != file.words.size())
    return bad_map(name, "the lengths of the words do not add up to the size of 'words'");
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const char* word = file.words.data();
  for (const std::uint8_t length : file.lengths) {
    bool good = length > 0 && length <= text::kMostFoldedLetters && is_letter(*word);
    for (std::size_t i = 0; good && i < length; ++i)
      good = is_letter(word[i]) || word[i] == '\'' || word[i] == '-';
    if (!good) return bad_map(name, "a word is empty, too long, or not of the letters a to z, ' and -");
    word += length;
  }
  return {};
}

Result<void> check_vectors(const WordMapFile& file, std::string_view name) {
  const StoredSubwords& stored = file.subwords;
  if (stored.word_groups.size() > file.lengths.size())
    return bad_map(name, "there are more vectors than words");
  if (stored.word_vectors.size() / kStoredVectorBytes != stored.word_groups.size())
    return bad_map(name, "not every word with a vector has a group");
  const std::size_t groups = stored.group_vectors.size() / kStoredVectorBytes;
  if (groups > kMostWordGroups)
    return bad_map(name,
                   fmt::format("{} groups of words; there should be at most {}", groups, kMostWordGroups));
  if (std::any_of(stored.word_groups.begin(), stored.word_groups.end(),
                  [groups](std::uint8_t group) { return group >= groups; }))
    return bad_map(name, "a word's group has no vector");
  if (stored.ngram_vectors.size() / kStoredVectorBytes != stored.ngram_hashes.size())
    return bad_map(name, "not every n-gram has a vector");
  if (std::adjacent_find(stored.ngram_hashes.begin(), stored.ngram_hashes.end(), std::greater_equal<>()) !=
      stored.ngram_hashes.end())
    return bad_map(name, "the hashes of the n-grams do not ascend");
  return {};
}

}  // namespace

Result<WordMapFile> read_word_map(const std::filesystem::path& path) {
  const std::string name = path.string();
  WordMapFile file;
  SOTTO_ASSIGN(file.mapped, base::MappedFile::open(path));
  SOTTO_ASSIGN(const base::Safetensors parsed, base::parse_safetensors(file.mapped.bytes(), name));
  SOTTO_TRY(check_format(parsed, name));
  const TensorReader tensors(parsed, name);
  SOTTO_ASSIGN(file.lengths, tensors.read<std::uint8_t>("lengths", base::TensorType::u8));
  SOTTO_ASSIGN(file.words, tensors.read_text("words"));
  SOTTO_ASSIGN(file.frequencies, tensors.read<std::int16_t>("frequencies", base::TensorType::i16));
  SOTTO_ASSIGN(file.abbreviations, tensors.read_text("abbreviations"));
  SOTTO_ASSIGN(file.subwords.word_vectors, tensors.read_vectors("word_vectors"));
  SOTTO_ASSIGN(file.subwords.word_groups, tensors.read<std::uint8_t>("word_groups", base::TensorType::u8));
  SOTTO_ASSIGN(file.subwords.group_vectors, tensors.read_vectors("group_vectors"));
  SOTTO_ASSIGN(file.subwords.ngram_hashes,
               tensors.read<std::uint32_t>("ngram_hashes", base::TensorType::u32));
  SOTTO_ASSIGN(file.subwords.ngram_vectors, tensors.read_vectors("ngram_vectors"));
  SOTTO_TRY(check_words(file, name));
  SOTTO_TRY(check_vectors(file, name));
  return file;
}

}  // namespace sotto::embed
