#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/model.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/message.hpp"
#include "base/safetensors.hpp"
#include "base/tree_hash.hpp"
#include "embed/model_file.hpp"
#include "embed/nearest.hpp"
#include "embed/vocabulary.hpp"
#include "text/word_form.hpp"

namespace sotto {
using namespace embed;
namespace {

tl::unexpected<Error> bad_model(std::string_view name, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", name, what));
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<void> check_offsets(std::span<const std::uint64_t> offsets, std::uint64_t bytes,
                           std::string_view name) {
  if (offsets.size() < 2) return bad_model(name, "the vocabulary is empty");
  if (offsets.size() - 1 > kLargestVocabulary)
    return bad_model(name, fmt::format("{} words, more than {}", offsets.size() - 1, kLargestVocabulary));
  if (offsets.front() != 0 || offsets.back() != bytes)
    return bad_model(name, "the word offsets do not start at 0 and end at the size of 'words'");
  bool ascending = true;
  for (std::size_t i = 1; i < offsets.size(); ++i) ascending &= offsets[i - 1] < offsets[i];
  if (!ascending) return bad_model(name, "the word offsets do not ascend");
  return {};
}

Result<void> check_permutation(std::span<const TokenId> order, std::size_t list, std::string_view name) {
  std::vector<std::uint8_t> seen(order.size(), 0);
  for (const TokenId id : order) {
    if (id >= order.size())
      return bad_model(name, fmt::format("list {} holds word {} of {}", list, id, order.size()));
    if (seen[id] != 0) return bad_model(name, fmt::format("list {} holds word {} twice", list, id));
    seen[id] = 1;
  }
  return {};
}

Result<std::vector<std::string>> parse_sources(const base::Metadata& metadata, std::string_view name) {
  std::vector<std::string> sources;
  const auto found = metadata.find(std::string(kListSourcesKey));
  if (found == metadata.end()) return sources;
  const auto json = base::parse_json(found->second);
  if (!json.is_array()) return bad_model(name, "metadata 'list_sources' is not a JSON array");
  for (const auto& source : json) {
    if (!source.is_string())
      return bad_model(name, "metadata 'list_sources' holds something other than names");
    sources.push_back(source.get<std::string>());
  }
  return sources;
}

}  // namespace

struct Model::Impl {
  std::string name;
  std::filesystem::path path;
  base::MappedFile file;
  base::Safetensors parsed;
  std::string digest;
  std::string stored_sha256;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::span<const std::uint64_t> offsets;
  std::string_view words;
  std::span<const std::uint64_t> counts;
  std::span<const std::int8_t> vectors8;
  std::span<const std::int16_t> vectors16;
  std::uint32_t dimension = 0;
  double scale = 0;
  std::vector<WordList> lists;
  std::unique_ptr<const Vocabulary> vocabulary;

  std::size_t size() const { return offsets.size() - 1; }
  Result<void> load();
  Result<void> load_metadata();
  Result<void> load_words();
  Result<void> load_vocabulary();
  Result<void> load_counts();
  Result<void> load_vectors();
  Result<void> load_lists();
  Result<void> verify_vectors() const;
  /// The tensor of that name, null if there is none; an error unless it has this type and shape.
  Result<const base::TensorView*> tensor(const std::string& key, base::TensorType type,
                                         std::vector<std::uint64_t> shape) const;
};

Result<const base::TensorView*> Model::Impl::tensor(const std::string& key, base::TensorType type,
                                                    std::vector<std::uint64_t> shape) const {
  const base::TensorView* found = parsed.find(key);
  if (found != nullptr && (found->type != type || found->shape != shape))
    return bad_model(path.string(), fmt::format("tensor '{}' does not have type {} and shape [{}]", key,
                                                base::type_name(type), fmt::join(shape, ", ")));
  return found;
}

Result<void> Model::Impl::load_metadata() {
  const auto value = [&](std::string_view key) {
    const auto found = parsed.metadata.find(std::string(key));
    return found == parsed.metadata.end() ? std::string() : found->second;
  };
  if (value(kFormatKey) != kFormatName)
    return fail(
        Errc::bad_format,
        base::format_message("{}: a safetensors file, but not a model of Sotto (make one with '{{0}}')",
                             path.string()),
        {{"model import", {{"vectors", ""}, {"output", ""}}}});
  if (value(kVersionKey) != kFormatVersion)
    return bad_model(path.string(), fmt::format("model format version '{}'; this program reads version {}",
                                                value(kVersionKey), kFormatVersion));
  stored_sha256 = value(base::kDigestKey);
  if (!is_digest(stored_sha256)) return bad_model(path.string(), "metadata 'sha256' is not a SHA-256");
  for (const auto& entry : parsed.metadata)
    if (!is_reserved_metadata(entry.first)) metadata.emplace_back(entry);
  return {};
}

Result<void> Model::Impl::load_words() {
  const base::TensorView* offset_tensor = parsed.find("offsets");
  const base::TensorView* word_tensor = parsed.find("words");
  if (offset_tensor == nullptr || offset_tensor->type != base::TensorType::u64 || word_tensor == nullptr ||
      word_tensor->type != base::TensorType::u8)
    return bad_model(path.string(), "needs tensors 'offsets' (U64) and 'words' (U8)");
  offsets = offset_tensor->elements<std::uint64_t>();
  words = base::as_bytes(word_tensor->elements<char>());
  return check_offsets(offsets, words.size(), path.string());
}

// Words are output unchanged, so they are checked before anything else uses them.
Result<void> Model::Impl::load_vocabulary() {
  const auto word = [&](std::size_t id) { return words.substr(offsets[id], offsets[id + 1] - offsets[id]); };
  if (const auto faulty = text::first_faulty(offsets, words))
    return bad_model(path.string(), fmt::format("word {} {}", *faulty, text::word_fault(word(*faulty))));
  vocabulary = std::make_unique<const Vocabulary>(offsets, words);
  if (const auto& repeated = vocabulary->repeated())
    return bad_model(path.string(), fmt::format("words {} and {} are both '{}'", repeated->first,
                                                repeated->second, word(repeated->second)));
  return {};
}

Result<void> Model::Impl::load_counts() {
  SOTTO_ASSIGN(const base::TensorView* count_tensor, tensor("counts", base::TensorType::u64, {size()}));
  if (count_tensor == nullptr) return {};
  counts = count_tensor->elements<std::uint64_t>();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts)
    if (__builtin_add_overflow(sum, count, &sum))
      return bad_model(path.string(), "the counts add up to more than 64 bits can hold");
  return {};
}

Result<void> Model::Impl::load_vectors() {
  const base::TensorView* vectors = parsed.find("vectors");
  if (vectors == nullptr) return {};
  const std::uint64_t columns = vectors->shape.size() == 2 ? vectors->shape[1] : 0;
  if (columns == 0 || columns > kLargestDimension)
    return bad_model(path.string(), fmt::format("vectors must have dimension 1 to {}", kLargestDimension));
  const base::TensorType type =
      vectors->type == base::TensorType::i8 ? base::TensorType::i8 : base::TensorType::i16;
  SOTTO_TRY(tensor("vectors", type, {size(), columns}));
  dimension = static_cast<std::uint32_t>(columns);
  if (type == base::TensorType::i8)
    vectors8 = vectors->elements<std::int8_t>();
  else
    vectors16 = vectors->elements<std::int16_t>();
  const auto found = parsed.metadata.find(std::string(kScaleKey));
  const std::string text = found == parsed.metadata.end() ? "" : found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !(scale >= kSmallestScale && scale <= kLargestScale))
    return bad_model(path.string(), fmt::format("metadata 'scale' is '{}', not a number from {} to {}", text,
                                                kSmallestScale, kLargestScale));
  return {};
}

Result<void> Model::Impl::load_lists() {
  const base::TensorView* tensor_of_lists = parsed.find("lists");
  SOTTO_ASSIGN(const std::vector<std::string> sources, parse_sources(parsed.metadata, path.string()));
  if (tensor_of_lists == nullptr) return {};
  const std::uint64_t count = tensor_of_lists->shape.empty() ? 0 : tensor_of_lists->shape[0];
  SOTTO_TRY(tensor("lists", base::TensorType::u32, {count, size()}));
  if (count == 0) return bad_model(path.string(), "tensor 'lists' is empty");
  if (sources.size() != count)
    return bad_model(path.string(),
                     fmt::format("{} lists, but 'list_sources' names {}", count, sources.size()));
  const auto all = tensor_of_lists->elements<TokenId>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const TokenId> order = all.subspan(i * size(), size());
    SOTTO_TRY(check_permutation(order, i, path.string()));
    lists.push_back({sources[i], order});
  }
  return {};
}

Result<void> Model::Impl::load() {
  SOTTO_ASSIGN(file, base::MappedFile::open(path));
  digest = base::tree_hash(file.bytes());
  SOTTO_ASSIGN(parsed, base::parse_safetensors(file.bytes(), path.string()));
  SOTTO_TRY(load_metadata());
  SOTTO_TRY(load_words());
  SOTTO_TRY(load_vocabulary());
  SOTTO_TRY(load_counts());
  SOTTO_TRY(load_vectors());
  SOTTO_TRY(load_lists());
  if (dimension == 0 && lists.empty()) return bad_model(path.string(), "has neither vectors nor lists");
  return {};
}

Model::Model() : impl_(std::make_unique<Impl>()) {}
Model::~Model() = default;

Result<std::shared_ptr<const Model>> Model::open(const std::filesystem::path& file) {
  std::shared_ptr<Model> model(new Model());
  model->impl_->path = file;
  model->impl_->name = file.stem().string();
  SOTTO_TRY(model->impl_->load());
  return model;
}

const std::string& Model::name() const {
  return impl_->name;
}
const std::filesystem::path& Model::path() const {
  return impl_->path;
}
const std::string& Model::digest() const {
  return impl_->digest;
}
const std::string& Model::stored_sha256() const {
  return impl_->stored_sha256;
}
const std::vector<std::pair<std::string, std::string>>& Model::metadata() const {
  return impl_->metadata;
}
std::uint32_t Model::size() const {
  return static_cast<std::uint32_t>(impl_->size());
}
std::span<const std::uint64_t> Model::counts() const {
  return impl_->counts;
}
std::uint32_t Model::dimension() const {
  return impl_->dimension;
}
double Model::scale() const {
  return impl_->scale;
}
std::span<const std::int8_t> Model::vectors8() const {
  return impl_->vectors8;
}
std::span<const std::int16_t> Model::vectors16() const {
  return impl_->vectors16;
}
const std::vector<WordList>& Model::lists() const {
  return impl_->lists;
}

bool Model::has_phrases() const {
  return impl_->parsed.find("phrase_ids") != nullptr;
}

int Model::bits() const {
  if (impl_->dimension == 0) return 0;
  return impl_->vectors8.empty() ? 16 : 8;
}

std::string_view Model::word(TokenId id) const {
  const auto& offsets = impl_->offsets;
  return impl_->words.substr(offsets[id], offsets[id + 1] - offsets[id]);
}

const Vocabulary& ModelAccess::vocabulary(const Model& model) {
  return *model.impl_->vocabulary;
}

TokenId Model::find(std::string_view word) const {
  return impl_->vocabulary->find(word);
}

namespace {

template <class T>
std::int64_t squared_distance_of(std::span<const T> vectors, std::size_t dimension, TokenId a, TokenId b) {
  const T* x = vectors.data() + a * dimension;
  const T* y = vectors.data() + b * dimension;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    const std::int64_t difference = std::int64_t{x[i]} - y[i];
    sum += difference * difference;
  }
  return sum;
}

template <class T>
std::int64_t largest_squared_norm(std::span<const T> vectors, std::size_t dimension) {
  std::int64_t largest = 0;
  for (std::size_t row = 0; row < vectors.size(); row += dimension) {
    std::int64_t sum = 0;
    for (const T x : vectors.subspan(row, dimension)) sum += std::int64_t{x} * x;
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

std::int64_t Model::squared_distance(TokenId a, TokenId b) const {
  return impl_->vectors8.empty() ? squared_distance_of(impl_->vectors16, impl_->dimension, a, b)
                                 : squared_distance_of(impl_->vectors8, impl_->dimension, a, b);
}

Result<void> Model::Impl::verify_vectors() const {
  if (dimension == 0) return {};
  const std::int64_t largest = vectors8.empty() ? largest_squared_norm(vectors16, dimension)
                                                : largest_squared_norm(vectors8, dimension);
  if (largest > kLargestNorm * kLargestNorm)
    return bad_model(path.string(), fmt::format("a vector has squared norm {}, more than {}", largest,
                                                kLargestNorm * kLargestNorm));
  return {};
}

Result<void> Model::verify() const {
  SOTTO_TRY(base::verify_digest(impl_->file.bytes(), impl_->parsed, impl_->path.string()));
  return impl_->verify_vectors();
}

}  // namespace sotto
