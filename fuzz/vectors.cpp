// Foreign vector files, compressed or not: what imports is a sound model, and its export imports again.
#include <sotto/model.hpp>

#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

constexpr std::uint32_t kMostWords = 256;

Result<ImportReport> import(const std::filesystem::path& vectors, const char* output, int bits) {
  ImportOptions options;
  options.vectors = vectors;
  options.output = fuzz::scratch() / output;
  options.bits = bits;
  std::filesystem::remove(options.output);
  auto report = import_vectors(options);
  require(report.has_value() == std::filesystem::exists(options.output), "a model is there if all went well");
  return report;
}

std::shared_ptr<const Model> open_sound(const char* name) {
  auto model = Model::open(fuzz::scratch() / name);
  require(model.has_value() && (*model)->verify().has_value(), "what was imported is a sound model");
  return *model;
}

void check_export(const Model& model, ExportFormat format) {
  const std::filesystem::path file = fuzz::scratch() / "exported";
  std::filesystem::remove(file);
  require(export_vectors(model, file, format).has_value(), "what was imported can be exported");
  require(import(file, "again.safetensors", model.bits()).has_value(), "an export can be imported");
  const auto again = open_sound("again.safetensors");
  require(again->size() == model.size() && again->dimension() == model.dimension(),
          "an export has all words and dimensions");
  for (TokenId id = 0; id < model.size(); ++id)
    require(again->word(id) == model.word(id), "an export has the same words");
}

}  // namespace

SOTTO_FUZZ_TARGET(vectors) {
  const std::filesystem::path file = fuzz::write_scratch("vectors", input);
  for (const int bits : {8, 16}) {
    if (!import(file, "imported.safetensors", bits)) return;
    const auto model = open_sound("imported.safetensors");
    require(model->bits() == bits, "a model has the bits that were asked for");
    if (model->size() > kMostWords) return;
    check_export(*model, ExportFormat::word2vec_text);
    check_export(*model, ExportFormat::word2vec_binary);
  }
}
