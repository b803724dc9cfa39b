#include "evaluate/experiment/model_maker.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sotto/error_text.hpp>
#include <sotto/language_models.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "evaluate/experiment/grid.hpp"
#include "evaluate/experiment/run_folder.hpp"
#include "evaluate/experiment/seeds.hpp"

namespace sotto::evaluate {
namespace {

/// Identifies a file's content well enough to know whether it was already imported; a result's key has the
/// digest of the model itself.
std::string fingerprint(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  const auto time = std::filesystem::last_write_time(file, ignored).time_since_epoch().count();
  return fmt::format("{} {} {}", std::filesystem::absolute(file, ignored).string(), size, time);
}

Result<PreparedModel> describe(const std::filesystem::path& path, std::string about) {
  SOTTO_ASSIGN(const auto model, Model::open(path));
  return PreparedModel{path, model->digest(), model->size(), model->dimension(), std::move(about)};
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}\n", fmt::join(words, "\n"));
}

/// SHA-256 of the names and contents of the files in a folder.
Result<std::string> folder_digest(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  base::Sha256 hash;
  for (const auto& file : files) {
    SOTTO_ASSIGN(const base::MappedFile content, base::MappedFile::open(file));
    hash.update(fmt::format("{} {}\n", file.filename().string(), content.bytes().size()));
    hash.update({reinterpret_cast<const char*>(content.bytes().data()), content.bytes().size()});
  }
  return base::to_hex(hash.finish());
}

}  // namespace

std::filesystem::path ModelMaker::kept(const std::string& label, const std::string& identity) const {
  std::string name;
  for (const char c : label)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return options_.models /
         fmt::format("{}-{}.safetensors", name, base::to_hex(base::sha256(identity)).substr(0, 16));
}

Result<PreparedModel> ModelMaker::make(const ModelSpec& spec) const {
  if (!spec.file.empty()) return open_file(spec);
  if (!spec.language_model.empty()) return open_language_model(spec);
  if (!spec.list_models.empty()) return build(spec);
  SOTTO_ASSIGN(const std::filesystem::path path, import(spec, nullptr));
  return describe(path, catalog_.vectors.at(spec.vectors).about);
}

Result<PreparedModel> ModelMaker::open_file(const ModelSpec& spec) const {
  const auto path = find_model(spec.file);
  if (!path)
    return fail(Errc::not_found, fmt::format("model '{}': {}", spec.label, sotto::describe(path.error())));
  return describe(*path, {});
}

Result<PreparedModel> ModelMaker::open_language_model(const ModelSpec& spec) const {
  const auto folder = find_language_model(spec.language_model);
  if (!folder)
    return fail(Errc::not_found, fmt::format("model '{}': {}", spec.label, sotto::describe(folder.error())));
  SOTTO_ASSIGN(std::string digest, folder_digest(*folder));
  return PreparedModel{*folder, std::move(digest), 0, 0, {}, {spec.device, spec.precision, 1}};
}

/// `only`: the words to keep; null: those that the model asks for.
Result<std::filesystem::path> ModelMaker::import(const ModelSpec& spec,
                                                 const std::vector<std::string>* only) const {
  const auto entry = catalog_.vectors.find(spec.vectors);
  if (entry == catalog_.vectors.end())
    return fail(Errc::not_found, fmt::format("model '{}': lists are made from vectors only", spec.label));
  ImportOptions import;
  import.vectors = options_.data / entry->second.path;
  std::error_code ignored;
  if (!std::filesystem::exists(import.vectors, ignored))
    return fail(Errc::not_found, fmt::format("model '{}': {} is not in the data folder", spec.label,
                                             entry->second.path.string()));
  if (only == nullptr && !spec.vocabulary.empty()) {
    const auto& list = word_lists_.at(spec.vocabulary);
    if (!list) return tl::unexpected(list.error());
    only = &list->words;
  }
  const std::string words = only == nullptr ? std::string() : joined(*only);
  // With all words, or a vocabulary, the model is what the first version of this made, and its cells hold.
  import.keep_non_words = spec.keep_non_words;
  const int version = only != nullptr || spec.keep_non_words ? 1 : 2;
  import.output = kept(spec.label, fmt::format("import {}\n{}\n{}\n{}", version, fingerprint(import.vectors),
                                               spec.limit, base::to_hex(base::sha256(words))));
  if (std::filesystem::exists(import.output, ignored)) return import.output;
  if (only != nullptr) {
    import.vocabulary = import.output;
    import.vocabulary->replace_extension(".words");
    SOTTO_TRY(write_whole_file(*import.vocabulary, words));
  }
  import.limit = spec.limit;
  import.metadata = {{ "source", entry->second.about }};
  import.progress = [&](std::uint64_t, std::uint64_t) { return !options_.progress || options_.progress(0, 0);
};
SOTTO_TRY(import_vectors(import));
return import.output;
}  // namespace sotto::evaluate

Result<std::vector<std::string>> ModelMaker::shared_words(const ModelSpec& spec) const {
  std::vector<std::string> shared;
  for (std::size_t i = 0; i < spec.list_models.size(); ++i) {
    SOTTO_ASSIGN(const std::filesystem::path path,
                 import(find_model_spec(run_, spec.list_models[i]), nullptr));
    SOTTO_ASSIGN(const auto model, Model::open(path));
    std::unordered_set<std::string> here;
    for (TokenId id = 0; id < model->size(); ++id) {
      if (i == 0) shared.emplace_back(model->word(id));
      here.emplace(model->word(id));
    }
    std::erase_if(shared, [&](const std::string& word) { return !here.contains(word); });
  }
  return shared;
}

Result<PreparedModel> ModelMaker::build(const ModelSpec& spec) const {
  SOTTO_ASSIGN(const std::vector<std::string> words, shared_words(spec));
  if (words.size() < 2)
    return fail(Errc::not_found, fmt::format("model '{}': its models share no words", spec.label));
  ListOptions lists;
  std::string identity = fmt::format("lists 1\n{}\n{}\n", spec.lists_per_model, run_.seed);
  for (const std::string& label : spec.list_models) {
    SOTTO_ASSIGN(auto path, import(find_model_spec(run_, label), &words));
    identity += path.filename().string() + "\n";
    lists.models.push_back(std::move(path));
  }
  lists.output = kept(spec.label, identity);
  lists.lists_per_model = spec.lists_per_model;
  lists.seed = experiment_seed(run_.seed, "lists " + spec.label);
  lists.threads = options_.threads;
  lists.progress = [&](std::uint64_t, std::uint64_t) {
    return !options_.progress || options_.progress(0, 0);
  };
  std::error_code ignored;
  if (!std::filesystem::exists(lists.output, ignored)) SOTTO_TRY(build_lists(lists));
  return describe(lists.output, fmt::format("lists over the {} words that {} share", words.size(),
                                            fmt::join(spec.list_models, ", ")));
}

}  // namespace sotto::evaluate
