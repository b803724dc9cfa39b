// Members that several JSON objects of options have in common. Their targets must outlive the reader.
#pragma once

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>

#include "base/options_reader.hpp"

namespace sotto::pipeline {

/// threads
void add_threads(base::OptionsReader& reader, unsigned& threads);
/// threads and memory
void add_resources(base::OptionsReader& reader, MechanismResources& resources);
/// mechanism, parameters, model and resources, but not epsilon, which is not always one number
void add_mechanism(base::OptionsReader& reader, MechanismSpec& spec);
/// An array of names, or of objects of mechanism, parameters and model.
void add_mechanisms(base::OptionsReader& reader, std::vector<MechanismSpec>& specs);
/// device and precision
void add_language_model(base::OptionsReader& reader, LanguageModelResources& resources);
/// One part of a policy. `set` receives a value that is allowed.
using SetPart = std::function<void(std::string_view part, const std::string& value)>;
void add_policy_part(base::OptionsReader& reader, std::string_view part, SetPart set);
/// What finds the documents: inputs, format, encoding, fields, delimiter, no_header and missing
void add_records(base::OptionsReader& reader, FileOptions& files);
/// format
void add_format(base::OptionsReader& reader, std::optional<Format>& format);
/// grid: an object that has one value or an array of values for each parameter
void add_grid(base::OptionsReader& reader, std::map<std::string, std::vector<std::string>>& grid);

}  // namespace sotto::pipeline
