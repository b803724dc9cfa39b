#include "pipeline/options_parts.hpp"

#include <utility>

#include <fmt/format.h>

namespace sotto::pipeline {
namespace {

using base::OptionsReader;

void add_name(OptionsReader& reader, MechanismSpec& spec) {
  reader.text("mechanism", spec.name);
  reader.values("parameters", spec.parameters);
  reader.text("model", spec.model);
}

Result<void> read_spec(const std::string& name, const OptionsReader::Json& value, MechanismSpec& spec) {
  if (value.is_string()) {
    SOTTO_ASSIGN(spec.name, OptionsReader::text_of(name, value));
    return {};
  }
  if (!value.is_object()) return OptionsReader::wrong_type(name, "a string or an object");
  if (!value.contains("mechanism")) return fail_parameter(name + ".mechanism", "", "missing; give a name");
  OptionsReader reader;
  add_name(reader, spec);
  return reader.read(name, value);
}

}  // namespace

void add_threads(OptionsReader& reader, unsigned& threads) {
  reader.integer("threads", threads, 0, kMostThreads);
}

void add_resources(OptionsReader& reader, MechanismResources& resources) {
  add_threads(reader, resources.threads);
  reader.integer("memory", resources.memory);
}

void add_mechanism(OptionsReader& reader, MechanismSpec& spec) {
  add_name(reader, spec);
  add_resources(reader, spec.resources);
}

void add_mechanisms(OptionsReader& reader, std::vector<MechanismSpec>& specs) {
  reader.member("mechanisms", [&specs](const std::string& name, const OptionsReader::Json& value) {
    return OptionsReader::each_of(name, value, base::kMostValues,
                                  [&](const std::string& one, const OptionsReader::Json& item) {
                                    return read_spec(one, item, specs.emplace_back());
                                  });
  });
}

void add_language_model(OptionsReader& reader, LanguageModelResources& resources) {
  reader.named("device", resources.device, parse_device);
  reader.named("precision", resources.precision, parse_precision);
}

void add_policy_part(OptionsReader& reader, std::string_view part, SetPart set) {
  reader.member(part,
                [part, set = std::move(set)](const std::string& name,
                                             const OptionsReader::Json& value) -> Result<void> {
                  SOTTO_ASSIGN(const std::string text, OptionsReader::text_of(name, value));
                  Policy checked;
                  SOTTO_TRY(set_policy_part(checked, part, text));
                  set(part, text);
                  return {};
                });
}

void add_format(OptionsReader& reader, std::optional<Format>& format) {
  reader.named("format", format, parse_format);
}

void add_records(OptionsReader& reader, FileOptions& files) {
  reader.paths("inputs", files.inputs);
  add_format(reader, files.format);
  reader.text("encoding", files.encoding);
  reader.texts("fields", files.fields);
  reader.named("delimiter", files.delimiter, parse_delimiter);
  reader.flag("no_header", files.no_header);
  reader.named("missing", files.missing, parse_missing);
}

void add_grid(OptionsReader& reader, std::map<std::string, std::vector<std::string>>& grid) {
  reader.member("grid", [&grid](const std::string& name, const OptionsReader::Json& value) -> Result<void> {
    if (!value.is_object()) return OptionsReader::wrong_type(name, "an object");
    for (const auto& [key, given] : value.items()) {
      // An array of one value means the same as the value.
      const auto values = given.is_array() ? given : OptionsReader::Json::array({given});
      std::vector<std::string>& target = grid[key];
      SOTTO_TRY(OptionsReader::each_of(
          fmt::format("{}.{}", name, key), values, base::kMostValues,
          [&](const std::string& one, const OptionsReader::Json& item) -> Result<void> {
            SOTTO_ASSIGN(target.emplace_back(), OptionsReader::setting_of(one, item));
            return {};
          }));
    }
    return {};
  });
}

}  // namespace sotto::pipeline
