#include <functional>
#include <map>

#include <fmt/format.h>

#include <sotto/options_json.hpp>

#include "base/checked_value.hpp"
#include "base/json.hpp"
#include "base/message.hpp"

namespace sotto {
namespace {

constexpr std::uint64_t kLargestExact = 1ULL << 53;  // every JSON reader keeps integers up to this

tl::unexpected<Error> wrong_type(std::string_view name, std::string_view wanted) {
  return fail_parameter(name, "", fmt::format("must be {}", wanted));
}

/// How each member of an object, by name, changes the options.
using Setters = std::map<std::string_view, std::function<Result<void>(const nlohmann::json& value)>>;

Result<void> read_members(std::string_view text, const Setters& setters) {
  const nlohmann::json json = base::parse_json(text);
  if (!json.is_object()) return fail(Errc::bad_format, "the options are not a JSON object");
  for (const auto& [name, value] : json.items()) {
    const auto setter = setters.find(name);
    if (setter == setters.end()) return fail_parameter(name, "", "there is no such option");
    SOTTO_TRY(setter->second(value));
  }
  return {};
}

/// Setters for members of the usual types.
auto text_into(std::string_view name, std::string& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_string()) return wrong_type(name, "a string");
    target = value.get<std::string>();
    return {};
  };
}

auto path_into(std::string_view name, std::optional<std::filesystem::path>& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_string()) return wrong_type(name, "a string");
    target = value.get<std::string>();
    return {};
  };
}

auto number_into(std::string_view name, double& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_number()) return wrong_type(name, "a number");
    target = value.get<double>();
    return {};
  };
}

template <class Integer>
auto integer_into(std::string_view name, Integer& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargestExact)
      return wrong_type(name, "a whole number");
    target = value.get<std::uint64_t>();
    return {};
  };
}

auto flag_into(std::string_view name, bool& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_boolean()) return wrong_type(name, "true or false");
    target = value.get<bool>();
    return {};
  };
}

/// For values that have names; `parse` converts a name to its value.
template <class T, class Parse>
auto named_into(std::string_view name, T& target, const Parse& parse) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_string()) return wrong_type(name, "a string");
    SOTTO_ASSIGN(target, parse(value.get<std::string>()));
    return {};
  };
}

/// Numbers and booleans are equivalent to their texts.
auto parameters_into(ParameterValues& target) {
  return [&target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_object()) return wrong_type("parameters", "an object");
    for (const auto& [name, entry] : value.items()) {
      if (entry.is_structured() || entry.is_null())
        return wrong_type("parameters." + name, "a string, a number, or true or false");
      target[name] = entry.is_string() ? entry.get<std::string>() : entry.dump();
    }
    return {};
  };
}

auto policy_part_into(std::string_view part, Policy& target) {
  return [=, &target](const nlohmann::json& value) -> Result<void> {
    if (!value.is_string()) return wrong_type(part, "a string");
    return set_policy_part(target, part, value.get<std::string>());
  };
}

}  // namespace

Result<PrivatizeOptions> privatize_options_from_json(std::string_view json) {
  PrivatizeOptions options;
  std::string policy = "strict", budget, segmentation;
  Policy parts;  // to check the parts before the policy they modify is known
  std::vector<std::pair<std::string_view, std::string>> given_parts;
  double document_epsilon = 0;
  Setters setters = {{"mechanism", text_into("mechanism", options.mechanism.name)},
                     {"epsilon", number_into("epsilon", options.mechanism.epsilon)},
                     {"document_epsilon", number_into("document_epsilon", document_epsilon)},
                     {"budget", text_into("budget", budget)},
                     {"collocations", text_into("collocations", segmentation)},
                     {"phrases", path_into("phrases", options.phrases)},
                     {"target", named_into("target", options.target, parse_target)},
                     {"parameters", parameters_into(options.mechanism.parameters)},
                     {"model", text_into("model", options.mechanism.model)},
                     {"policy", text_into("policy", policy)},
                     {"seed", integer_into("seed", options.seed)},
                     {"key_file", path_into("key_file", options.key_file)},
                     {"unique_ids", flag_into("unique_ids", options.unique_ids)},
                     {"max_document_bytes", integer_into("max_document_bytes", options.max_document_bytes)},
                     {"memory", integer_into("memory", options.mechanism.resources.memory)},
                     {"device", named_into("device", options.language.device, parse_device)},
                     {"precision", named_into("precision", options.language.precision, parse_precision)},
                     {"delta", number_into("delta", options.delta)}};
  setters["epsilon_chosen_on"] =
      named_into("epsilon_chosen_on", options.epsilon_chosen_on, parse_epsilon_basis);
  for (const std::string_view part : {"stopwords", "oov", "numbers", "punctuation", "case", "articles"})
    setters[part] = [&, part](const nlohmann::json& value) -> Result<void> {
      SOTTO_TRY(policy_part_into(part, parts)(value));
      given_parts.emplace_back(part, value.get<std::string>());
      return {};
    };
  SOTTO_TRY(read_members(json, setters));
  SOTTO_ASSIGN(options.policy, parse_policy(policy));
  if (!budget.empty() || document_epsilon != 0)
    SOTTO_TRY(apply_named_budget(budget.empty() ? "even" : budget, document_epsilon, options));
  for (const auto& [part, value] : given_parts) SOTTO_TRY(set_policy_part(options.policy, part, value));
  if (!segmentation.empty()) {
    SOTTO_ASSIGN(options.collocations, parse_segmentation("collocations", segmentation, true));
  }
  return options;
}

Result<ExplainOptions> explain_options_from_json(std::string_view json) {
  ExplainOptions options;
  Policy policy;
  SOTTO_TRY(read_members(json, {{"mechanism", text_into("mechanism", options.mechanism.name)},
                                {"epsilon", number_into("epsilon", options.mechanism.epsilon)},
                                {"parameters", parameters_into(options.mechanism.parameters)},
                                {"model", text_into("model", options.mechanism.model)},
                                {"oov", policy_part_into("oov", policy)},
                                {"top", integer_into("top", options.top)},
                                {"draws", integer_into("draws", options.draws)}}));
  options.oov = policy.oov;
  return options;
}

}  // namespace sotto
