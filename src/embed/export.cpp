#include <iterator>
#include <string>

#include <fmt/format.h>

#include <sotto/model.hpp>

#include "base/file.hpp"

namespace sotto {
namespace {

constexpr std::size_t kBuffer = 1 << 20;

class VectorWriter {
 public:
  VectorWriter(const Model& model, base::AtomicFile& file, ExportFormat format)
      : model_(model), file_(file), format_(format) {}

  Result<void> write() {
    buffer_ = fmt::format("{} {}\n", model_.size(), model_.dimension());
    for (TokenId id = 0; id < model_.size(); ++id) {
      SOTTO_TRY(append_word(id));
      if (model_.bits() == 8)
        append_values(model_.vectors8(), id);
      else
        append_values(model_.vectors16(), id);
      buffer_ += '\n';
      if (buffer_.size() >= kBuffer) SOTTO_TRY(flush());
    }
    return flush();
  }

 private:
  Result<void> append_word(TokenId id) {
    const std::string_view word = model_.word(id);
    if (word.find_first_of(" \t\r\n") != std::string_view::npos)
      return fail(Errc::bad_format, fmt::format("{}: the word '{}' has a blank inside, which word2vec files "
                                                "cannot hold",
                                                model_.path().string(), word));
    buffer_.append(word);
    if (format_ == ExportFormat::word2vec_binary) buffer_ += ' ';
    return {};
  }

  template <class T>
  void append_values(std::span<const T> vectors, TokenId id) {
    for (const T integer : vectors.subspan(std::size_t{id} * model_.dimension(), model_.dimension())) {
      const auto value = static_cast<float>(model_.scale() * integer);
      if (format_ == ExportFormat::word2vec_binary)
        buffer_.append(reinterpret_cast<const char*>(&value), sizeof(value));
      else
        fmt::format_to(std::back_inserter(buffer_), " {}", value);
    }
  }

  Result<void> flush() {
    SOTTO_TRY(file_.write(buffer_));
    buffer_.clear();
    return {};
  }

  const Model& model_;
  base::AtomicFile& file_;
  ExportFormat format_;
  std::string buffer_;
};

}  // namespace

Result<void> export_vectors(const Model& model, const std::filesystem::path& output, ExportFormat format) {
  if (model.dimension() == 0)
    return fail(Errc::invalid_argument,
                fmt::format("{} is a list set and has no vectors to export", model.path().string()));
  SOTTO_TRY(base::check_output(output, model.path()));
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(output));
  SOTTO_TRY(VectorWriter(model, file, format).write());
  return file.commit();
}

}  // namespace sotto
