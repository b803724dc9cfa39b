#include "collocation/phrase_table.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/message.hpp"
#include "base/tree_hash.hpp"
#include "collocation/phrase_writer.hpp"
#include "text/word_form.hpp"

namespace sotto {
using namespace collocation;
namespace {

tl::unexpected<Error> bad_table(const std::filesystem::path& file, std::string_view what) {
  return fail(Errc::bad_format, fmt::format("{}: {}", file.string(), what));
}

// Hides keys used by the formats themselves: this one and, if the phrases are inside a model, the model's.
bool is_shown(std::string_view key) {
  constexpr std::string_view kHidden[] = {"format", "version",      "sha256",
                                          "scale",  "list_sources", kPhraseVersionKey};
  return std::find(std::begin(kHidden), std::end(kHidden), key) == std::end(kHidden);
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> collocation::split_phrase(std::string_view joined) {
  std::vector<std::string_view> words;
  while (words.size() < 4) {
    const std::size_t joint = joined.find(kPhraseJoint);
    words.push_back(joined.substr(0, joint));
    if (joint == std::string_view::npos) break;
    joined.remove_prefix(joint + 1);
  }
  return words;
}

Result<const base::TensorView*> PhraseTable::Impl::tensor(const std::string& name, base::TensorType type,
                                                          std::size_t dimensions) const {
  const base::TensorView* found = parsed.find(name);
  if (found == nullptr || found->type != type || found->shape.size() != dimensions)
    return bad_table(path, fmt::format("needs a tensor '{}' of type {} with {} dimension{}", name,
                                       base::type_name(type), dimensions, dimensions == 1 ? "" : "s"));
  return found;
}

Result<std::span<const std::uint64_t>> PhraseTable::Impl::load_slots(const std::string& name,
                                                                     std::uint64_t entries) const {
  SOTTO_ASSIGN(const base::TensorView* found, tensor(name, base::TensorType::u64, 1));
  const auto slots = found->elements<std::uint64_t>();
  if (!std::has_single_bit(slots.size()) || slots.size() <= entries)
    return bad_table(path,
                     fmt::format("tensor '{}' has {} slots for {} entries", name, slots.size(), entries));
  return slots;
}

Result<void> PhraseTable::Impl::load_metadata() {
  const auto value = [&](std::string_view key) {
    const auto found = parsed.metadata.find(std::string(key));
    return found == parsed.metadata.end() ? std::string() : found->second;
  };
  if (parsed.find("phrase_ids") == nullptr)
    return fail(Errc::bad_format,
                base::format_message("{}: holds no phrases (make a table with '{{0}}')", path.string()),
                {{"collocations count", {{"corpus", ""}, {"output", ""}}}});
  if (value(kPhraseVersionKey) != kPhraseVersion)
    return bad_table(path, fmt::format("phrase table version '{}'; this program reads version {}",
                                       value(kPhraseVersionKey), kPhraseVersion));
  stored_sha256 = value(base::kDigestKey);
  if (!is_digest(stored_sha256)) return bad_table(path, "metadata 'sha256' is not a SHA-256");
  for (const auto& entry : parsed.metadata)
    if (is_shown(entry.first)) metadata.emplace_back(entry);
  return {};
}

Result<void> PhraseTable::Impl::load_words() {
  SOTTO_ASSIGN(const base::TensorView* pool, tensor("phrase_words", base::TensorType::u8, 1));
  SOTTO_ASSIGN(const base::TensorView* offsets, tensor("phrase_word_offsets", base::TensorType::u32, 1));
  words = base::as_bytes(pool->elements<char>());
  word_offsets = offsets->elements<std::uint32_t>();
  if (word_offsets.empty() || word_offsets.size() > kNoWord)
    return bad_table(path, "tensor 'phrase_word_offsets' has a size that is not allowed");
  SOTTO_TRY(check_words());
  SOTTO_ASSIGN(word_slots, load_slots("phrase_word_index", word_count()));
  return {};
}

Result<void> PhraseTable::Impl::check_words() const {
  if (word_offsets.front() != 0 || word_offsets.back() != words.size() ||
      !std::is_sorted(word_offsets.begin(), word_offsets.end()))
    return bad_table(path, "the offsets of the words do not ascend from 0 to their size");
  if (const auto faulty = text::first_faulty(word_offsets, words))
    return bad_table(path, fmt::format("word {} {}", *faulty,
                                       text::word_fault(word(static_cast<std::uint32_t>(*faulty)))));
  for (std::uint32_t id = 1; id < word_count(); ++id)
    if (word(id - 1) >= word(id)) return bad_table(path, fmt::format("word {} is not in byte order", id));
  return {};
}

Result<void> PhraseTable::Impl::load_phrases() {
  SOTTO_ASSIGN(const base::TensorView* id_tensor, tensor("phrase_ids", base::TensorType::u32, 2));
  SOTTO_ASSIGN(const base::TensorView* score_tensor, tensor("phrase_scores", base::TensorType::i32, 1));
  SOTTO_ASSIGN(const base::TensorView* count_tensor, tensor("phrase_counts", base::TensorType::u64, 1));
  const std::uint64_t count = id_tensor->shape[0];
  if (id_tensor->shape[1] != 3 || count >= kNoPhrase || score_tensor->shape[0] != count ||
      count_tensor->shape[0] != count)
    return bad_table(path, "the tensors 'phrase_ids', 'phrase_scores' and 'phrase_counts' do not match");
  ids = id_tensor->elements<PhraseWords>();
  scores = score_tensor->elements<std::int32_t>();
  counts = count_tensor->elements<std::uint64_t>();
  SOTTO_ASSIGN(phrase_slots, load_slots("phrase_index", count));
  return {};
}

Result<void> PhraseTable::Impl::load() {
  SOTTO_ASSIGN(file, base::MappedFile::open(path));
  digest = base::tree_hash(file.bytes());
  SOTTO_ASSIGN(parsed, base::parse_safetensors(file.bytes(), path.string()));
  SOTTO_TRY(load_metadata());
  SOTTO_TRY(load_words());
  return load_phrases();
}

PhraseTable::PhraseTable() : impl_(std::make_unique<Impl>()) {}
PhraseTable::~PhraseTable() = default;

Result<std::shared_ptr<const PhraseTable>> PhraseTable::open(const std::filesystem::path& file) {
  std::shared_ptr<PhraseTable> table(new PhraseTable());
  table->impl_->path = file;
  SOTTO_TRY(table->impl_->load());
  return table;
}

const std::filesystem::path& PhraseTable::path() const {
  return impl_->path;
}
const std::string& PhraseTable::digest() const {
  return impl_->digest;
}
const std::string& PhraseTable::stored_sha256() const {
  return impl_->stored_sha256;
}
const std::vector<std::pair<std::string, std::string>>& PhraseTable::metadata() const {
  return impl_->metadata;
}
std::uint32_t PhraseTable::size() const {
  return static_cast<std::uint32_t>(impl_->ids.size());
}
double PhraseTable::pmi(PhraseId id) const {
  return impl_->scores[id] / kScoreUnit;
}
std::uint64_t PhraseTable::count(PhraseId id) const {
  return impl_->counts[id];
}

std::string PhraseTable::phrase(PhraseId id) const {
  const PhraseWords& words = impl_->ids[id];
  std::string joined(impl_->word(words[0]));
  for (std::size_t i = 1; i < words.size() && words[i] != kNoWord; ++i) {
    joined += kPhraseJoint;
    joined += impl_->word(words[i]);
  }
  return joined;
}

PhraseId PhraseTable::find(std::string_view joined) const {
  const std::vector<std::string_view> spellings = split_phrase(joined);
  if (spellings.size() < 2 || spellings.size() > 3) return kNoPhrase;
  PhraseWords words = {kNoWord, kNoWord, kNoWord};
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    words[i] = impl_->find_word(spellings[i]);
    if (words[i] == kNoWord) return kNoPhrase;
  }
  return impl_->find_phrase(words, hash_phrase(words));
}

namespace {

Result<void> verify_words(const PhraseTable::Impl& table) {
  for (std::uint32_t id = 0; id < table.word_count(); ++id) {
    if (!is_phrase_word(table.word(id)))
      return bad_table(table.path, fmt::format("word {} is not a word in lower case", id));
    if (table.find_word(table.word(id)) != id)
      return bad_table(table.path, fmt::format("the index does not find word {}", id));
  }
  return {};
}

Result<void> verify_phrases(const PhraseTable::Impl& table) {
  for (PhraseId id = 0; id < table.ids.size(); ++id) {
    const PhraseWords& words = table.ids[id];
    const bool in_range = words[0] < table.word_count() && words[1] < table.word_count() &&
                          (words[2] < table.word_count() || words[2] == kNoWord);
    if (!in_range) return bad_table(table.path, fmt::format("phrase {} has a word that does not exist", id));
    if (id > 0 && !comes_before(table.ids[id - 1], words))
      return bad_table(table.path, fmt::format("phrase {} is not in order", id));
    if (table.find_phrase(words, hash_phrase(words)) != id)
      return bad_table(table.path, fmt::format("the index does not find phrase {}", id));
  }
  return {};
}

}  // namespace

Result<void> PhraseTable::verify() const {
  SOTTO_TRY(base::verify_digest(impl_->file.bytes(), impl_->parsed, impl_->path.string()));
  SOTTO_TRY(verify_words(*impl_));
  return verify_phrases(*impl_);
}

}  // namespace sotto
