#include "vectors.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <sotto/model.hpp>

#include "errors.hpp"
#include "interruptible.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::string import_model(const std::string& vectors, const std::string& output, std::uint64_t limit,
                         const std::optional<std::string>& vocabulary, int bits, bool keep_non_words,
                         Metadata metadata, nb::handle progress) {
  const auto state = std::make_shared<CallState>();
  ImportOptions options{.vectors = vectors,
                        .output = output,
                        .limit = limit,
                        .vocabulary = vocabulary,
                        .bits = bits,
                        .keep_non_words = keep_non_words,
                        .metadata = std::move(metadata),
                        .progress = CallState::callback(state)};
  return take(run_interruptibly(state, progress, [&]() -> Result<std::string> {
    SOTTO_ASSIGN(const ImportReport report, import_vectors(options));
    return to_json(report);
  }));
}

ExportFormat export_format(std::string_view name) {
  if (name == "word2vec-text") return ExportFormat::word2vec_text;
  if (name == "word2vec-bin") return ExportFormat::word2vec_binary;
  raise_value_error(fmt::format("to: '{}' is not allowed; give word2vec-text or word2vec-bin", name));
}

void export_model(const std::string& model, const std::string& output, std::string_view to) {
  const ExportFormat format = export_format(to);
  const auto state = std::make_shared<CallState>();
  take(run_interruptibly(state, nb::none(), [&]() -> Result<void> {
    SOTTO_ASSIGN(const auto path, find_model(model));
    SOTTO_ASSIGN(const auto opened, Model::open(path));
    return export_vectors(*opened, output, format);
  }));
}

std::vector<std::string> model_words(const std::string& model) {
  const auto state = std::make_shared<CallState>();
  return take(run_interruptibly(state, nb::none(), [&]() -> Result<std::vector<std::string>> {
    SOTTO_ASSIGN(const auto path, find_model(model));
    SOTTO_ASSIGN(const auto opened, Model::open(path));
    std::vector<std::string> words;
    words.reserve(opened->size());
    for (TokenId id = 0; id < opened->size(); ++id) words.emplace_back(opened->word(id));
    return words;
  }));
}

}  // namespace

void define_vectors(nb::module_& module) {
  module.def("import_vectors", import_model, nb::arg("vectors"), nb::arg("output"), nb::arg("limit"),
             nb::arg("vocabulary").none(), nb::arg("bits"), nb::arg("keep_non_words"), nb::arg("metadata"),
             nb::arg("progress").none());
  module.def("export_vectors", export_model, nb::arg("model"), nb::arg("output"), nb::arg("to"));
  module.def("model_words", model_words, nb::arg("model"));
}

}  // namespace sotto::python
