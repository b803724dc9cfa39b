#include "embed/restricted_model.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "embed/model_file.hpp"

namespace sotto::embed {
namespace {

/// A folder that is deleted on destruction; a model stays mapped without its file.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string pattern = (parent / "sotto-model-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr)
      return fail(Errc::io, fmt::format("cannot make a temporary folder in {}: {}", parent.string(),
                                        error ? error.message() : std::strerror(errno)));
    return TemporaryFolder(std::move(pattern));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

template <class Integer>
Result<void> write_rows(std::span<const Integer> vectors, std::size_t dimension,
                        std::span<const TokenId> words, const base::ByteSink& sink) {
  for (const TokenId word : words)
    SOTTO_TRY(sink(base::as_bytes(vectors.subspan(word * dimension, dimension))));
  return {};
}

std::vector<std::vector<TokenId>> restrict_lists(const Model& model, std::span<const TokenId> words) {
  std::vector<TokenId> place(model.size(), model.bottom());
  for (std::size_t i = 0; i < words.size(); ++i) place[words[i]] = static_cast<TokenId>(i);
  std::vector<std::vector<TokenId>> lists;
  for (const WordList& list : model.lists()) {
    std::vector<TokenId>& kept = lists.emplace_back();
    for (const TokenId word : list.order)
      if (place[word] != model.bottom()) kept.push_back(place[word]);
  }
  return lists;
}

}  // namespace

Result<std::shared_ptr<const Model>> restrict_model(const Model& model, std::span<const TokenId> words) {
  std::string text;
  ModelParts parts;
  parts.offsets.push_back(0);
  std::vector<std::uint64_t> counts;
  for (const TokenId word : words) {
    text += model.word(word);
    parts.offsets.push_back(text.size());
    if (!model.counts().empty()) counts.push_back(model.counts()[word]);
  }
  parts.words = text;
  parts.counts = counts;
  parts.lists = restrict_lists(model, words);
  if (!parts.lists.empty()) {
    nlohmann::json sources = nlohmann::json::array();
    for (const WordList& list : model.lists()) sources.push_back(list.source);
    parts.metadata[std::string(kListSourcesKey)] =
        sources.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  parts.dimension = model.dimension();
  parts.bits = model.bits();
  parts.scale = model.scale();
  parts.write_vectors = [&](const base::ByteSink& sink) {
    return model.bits() == 16 ? write_rows(model.vectors16(), model.dimension(), words, sink)
                              : write_rows(model.vectors8(), model.dimension(), words, sink);
  };
  SOTTO_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const std::filesystem::path file = folder.path() / (model.name() + ".safetensors");
  SOTTO_TRY(write_model(file, parts));
  return Model::open(file);
}

}  // namespace sotto::embed
