#include <utility>

#include <sotto/language_models.hpp>
#include <sotto/mechanism.hpp>

namespace sotto {

Result<std::filesystem::path> find_model(const MechanismSpec& spec) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(spec.name));
  return find_model(spec.model.empty() ? info->default_model : spec.model);
}

Result<OpenMechanism> open_mechanism(const MechanismSpec& spec) {
  SOTTO_TRY(find_word_mechanism(spec.name));
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(spec));
  SOTTO_ASSIGN(std::shared_ptr<const Model> model, Model::open(file));
  return open_mechanism(spec, std::move(model));
}

Result<OpenMechanism> open_mechanism(const MechanismSpec& spec, std::shared_ptr<const Model> model) {
  OpenMechanism open{.spec = spec, .model = std::move(model), .mechanism = nullptr};
  SOTTO_ASSIGN(open.mechanism,
               make_mechanism(spec.name, open.model, spec.epsilon, spec.parameters, spec.resources));
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(spec.name));
  SOTTO_ASSIGN(open.spec.parameters, complete_parameters(*info, spec.parameters));
  return open;
}

}  // namespace sotto
