#include <variant>

#include <fmt/format.h>

#include <sotto/language_models.hpp>
#include <sotto/model.hpp>

#include "base/checked_value.hpp"
#include "base/compressed_input.hpp"
#include "base/hash.hpp"
#include "lm/calibration.hpp"
#include "lm/language_folder.hpp"
#include "lm/tokenizer/json_file.hpp"

namespace sotto {
using namespace lm;
namespace {

using AnyModel = std::variant<std::shared_ptr<const WordFiller>, std::shared_ptr<const TextWriter>>;

/// Models that write texts have these architectures; any other is assumed to fill masks, and the plugin
/// reports what it cannot open.
bool writes_texts(std::string_view model_type) {
  return model_type == "gpt2" || model_type == "t5";
}

Result<AnyModel> open_any(const std::filesystem::path& folder, const LanguageModelResources& resources) {
  SOTTO_ASSIGN(const Json config, read_optional_json_object(folder / "config.json"));
  const auto type = config.find("model_type");
  if (type != config.end() && type->is_string() && writes_texts(type->get<std::string>())) {
    SOTTO_ASSIGN(auto writer, TextWriter::open(folder, resources, {}));
    return AnyModel(std::move(writer));
  }
  SOTTO_ASSIGN(auto filler, WordFiller::open(folder, resources));
  return AnyModel(std::move(filler));
}

CalibrationSummary summary(const Calibration& calibration) {
  return {calibration.bounds.lowest, calibration.bounds.highest, calibration.mean,
          calibration.deviation,     calibration.texts,          calibration.logits,
          calibration.text_digest};
}

void describe(const WordFiller& filler, LanguageModelInfo& info) {
  info.kind = "masked";
  info.positions = filler.model().max_positions();
  info.logits = filler.model().output_size();
  info.outcomes = filler.words().size();
  info.law = to_string(filler.usual_law());
  for (const MaskedMode mode : filler.modes()) info.modes.emplace_back(to_string(mode));
  info.wander = filler.model().usual_wander();
  const auto bounds = filler.model().bounds();
  if (!bounds) return;
  info.bounded = true;
  info.lowest = bounds->lowest;
  info.highest = bounds->highest;
}

void describe(const TextWriter& writer, LanguageModelInfo& info) {
  info.kind = writer.model().answers() ? "encoder-decoder" : "causal";
  info.positions = writer.model().max_positions();
  info.logits = writer.model().output_size();
  info.outcomes = writer.outcomes().size();
}

struct OpenedModel {
  AnyModel model;
  LanguageModelInfo info;
};

Result<OpenedModel> open_described(std::string_view name, const LanguageModelResources& resources) {
  LanguageModelInfo info;
  SOTTO_ASSIGN(info.folder, find_language_model(name));
  info.name = std::filesystem::weakly_canonical(info.folder).filename().string();
  SOTTO_ASSIGN(info.digest, folder_digest(info.folder));
  SOTTO_ASSIGN(AnyModel model, open_any(info.folder, resources));
  std::visit([&](const auto& opened) { describe(*opened, info); }, model);
  return OpenedModel{std::move(model), std::move(info)};
}

}  // namespace

const char* to_string(Device device) {
  return kDeviceNames[static_cast<std::size_t>(device)].data();
}

const char* to_string(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)].data();
}

Result<Device> parse_device(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("device", name, kDeviceNames));
  return static_cast<Device>(index);
}

Result<Precision> parse_precision(std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice("precision", name, kPrecisionNames));
  return static_cast<Precision>(index);
}

Result<LanguageModelInfo> language_model_info(std::string_view name_or_path,
                                              const LanguageModelResources& resources) {
  SOTTO_ASSIGN(OpenedModel opened, open_described(name_or_path, resources));
  SOTTO_ASSIGN(const auto calibration, read_calibration(opened.info.folder, opened.info.digest));
  if (calibration) opened.info.calibration = summary(*calibration);
  return std::move(opened.info);
}

Result<LanguageModelInfo> calibrate_language_model(std::string_view name_or_path,
                                                   const std::filesystem::path& public_text,
                                                   const LanguageModelResources& resources) {
  SOTTO_ASSIGN(const std::string text, base::read_content(public_text));
  SOTTO_ASSIGN(OpenedModel opened, open_described(name_or_path, resources));
  if (opened.info.bounded)
    return fail_parameter(
        "model", name_or_path,
        fmt::format("'{}' needs no calibration; its architecture keeps logits in [{:g}, {:g}]", name_or_path,
                    opened.info.lowest, opened.info.highest));
  const std::vector<std::string> texts = choose_texts(text);
  auto calibration = std::visit([&](const auto& model) { return calibrate(*model, texts); }, opened.model);
  if (!calibration) return base::fail_at(public_text.string(), std::move(calibration.error()));
  calibration->model_digest = opened.info.digest;
  calibration->text_digest = base::to_hex(base::sha256(text));
  SOTTO_TRY(store_calibration(opened.info.folder, *calibration));
  opened.info.calibration = summary(*calibration);
  return std::move(opened.info);
}

}  // namespace sotto
