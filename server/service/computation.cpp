#include "service/computation.hpp"

#include <algorithm>

#include <sotto/model_names.hpp>

namespace sotto::server {
namespace {

bool is_known_model(std::string_view name) {
  const auto has = [name](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(model_names()) || has(language_model_names());
}

}  // namespace

Outcome<void> check_names(const JsonObject& request) {
  SOTTO_ASSIGN(const auto model, request.text("model"));
  if (model && !is_known_model(*model))
    return unprocessable("there is no model of this name; GET /v1/models lists them", "model");
  SOTTO_ASSIGN(const auto parameters, request.settings("parameters"));
  for (const auto& [name, value] : parameters)
    if (value.find('/') != std::string::npos)
      return unprocessable("a parameter must not name a file", "parameters");
  return {};
}

Outcome<MechanismSpec> read_mechanism(const JsonObject& request) {
  SOTTO_TRY(check_names(request));
  MechanismSpec spec;
  SOTTO_ASSIGN(const auto name, request.text("mechanism"));
  if (name) spec.name = *name;
  SOTTO_ASSIGN(const auto model, request.text("model"));
  if (model) spec.model = *model;
  SOTTO_ASSIGN(const auto epsilon, request.number("epsilon"));
  spec.epsilon = epsilon.value_or(0);
  SOTTO_ASSIGN(const auto parameters, request.settings("parameters"));
  for (const auto& [parameter, value] : parameters) spec.parameters[std::string(parameter)] = value;
  return spec;
}

}  // namespace sotto::server
