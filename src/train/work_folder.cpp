#include "train/work_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <sotto/tokenizer.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace sotto::train {
namespace {

using Json = nlohmann::ordered_json;

// Must be raised if the same text and options give different tokens, in addition to kTokenizerVersion.
constexpr int kTokenFileVersion = 1;

Result<Json> describe_input(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    return fail(Errc::invalid_argument,
                fmt::format("{}: not a regular file; training reads its corpus twice", file.string()));
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  return Json{{"path", (error ? file : absolute).string()},
              {"bytes", status.st_size},
              {"changed", fmt::format("{}.{:09}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec)}};
}

}  // namespace

Result<std::string> corpus_key(const TrainOptions& options, const std::string& phrase_digest) {
  Json key = {{"version", kTokenFileVersion},
              {"tokenizer", kTokenizerVersion},
              {"format", static_cast<int>(options.format)},
              {"encoding", options.encoding},
              {"field", options.field},
              {"phrases", phrase_digest},
              {"method", to_string(options.method)},
              {"min_count", options.min_count},
              {"limit", options.limit},
              {"vocabulary", ""},
              {"inputs", Json::array()}};
  if (options.vocabulary) {
    SOTTO_ASSIGN(const std::string vocabulary, base::read_file(*options.vocabulary));
    key["vocabulary"] = base::to_hex(base::sha256(vocabulary));
  }
  for (const std::filesystem::path& input : options.inputs) {
    SOTTO_ASSIGN(Json described, describe_input(input));
    key["inputs"].push_back(std::move(described));
  }
  return key.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<WorkFolder> WorkFolder::open(const TrainOptions& options, std::string key) {
  std::filesystem::path folder =
      options.work ? *options.work : std::filesystem::path(options.output.string() + ".work");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return fail(Errc::io, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  return WorkFolder(std::move(folder), std::move(key));
}

WorkFolder::~WorkFolder() {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::remove(folder_, error);  // removed only if empty
}

bool WorkFolder::holds(TokenizedCorpus& corpus) const {
  const Result<std::string> text = base::read_file(manifest());
  if (!text) return false;
  const Json json = base::parse_json<Json>(*text);
  if (!json.is_object() || !json.contains("key") || json["key"] != key_) return false;
  const auto number = [&](const char* name) {
    return json.contains(name) && json[name].is_number_unsigned() ? json[name].get<std::uint64_t>() : 0;
  };
  std::error_code error;
  if (std::filesystem::file_size(tokens(), error) != number("bytes") || error) return false;
  corpus = {number("documents"), number("words"), number("tokens")};
  return true;
}

void WorkFolder::clear() {
  std::error_code error;
  std::filesystem::remove(manifest(), error);
  std::filesystem::remove(tokens(), error);
}

Result<void> WorkFolder::record(const TokenizedCorpus& corpus) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(tokens(), error);
  if (error) return fail(Errc::io, fmt::format("cannot read {}: {}", tokens().string(), error.message()));
  const Json json = {{"key", key_},
                     {"bytes", bytes},
                     {"documents", corpus.documents},
                     {"words", corpus.words},
                     {"tokens", corpus.tokens}};
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(manifest()));
  SOTTO_TRY(file.write(json.dump(2) + "\n"));
  return file.commit();
}

void WorkFolder::finish() {
  clear();
}

}  // namespace sotto::train
