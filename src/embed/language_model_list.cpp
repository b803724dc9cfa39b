#include <sotto/language_models.hpp>
#include <sotto/model_names.hpp>

#include "base/file.hpp"
#include "base/json.hpp"

namespace sotto {
namespace {

using Config = nlohmann::json;

std::string text_member(const Config& config, const char* name) {
  const auto found = config.find(name);
  return found != config.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Hugging Face's name of the class, for example "BertForMaskedLM".
std::string architecture(const Config& config) {
  const auto found = config.find("architectures");
  const bool has_one =
      found != config.end() && found->is_array() && !found->empty() && found->front().is_string();
  return has_one ? found->front().get<std::string>() : std::string();
}

std::string kind_of(const Config& config) {
  const std::string type = text_member(config, "model_type");
  if (type == "gpt2") return "causal";
  if (type == "t5") return "encoder-decoder";
  // An encoder without a head, such as BertModel.
  const std::string name = architecture(config);
  if (config.contains("pooling") || (name.ends_with("Model") && !name.ends_with("HeadModel")))
    return "sentence encoder";
  return "masked";
}

std::string kind_of(const std::filesystem::path& folder) {
  const auto text = base::read_file(folder / "config.json");
  const Config config = text ? base::parse_json(*text) : Config();
  return config.is_object() ? kind_of(config) : "unknown";
}

}  // namespace

std::vector<ListedLanguageModel> list_language_models() {
  std::vector<ListedLanguageModel> models;
  for (const std::string& name : language_model_names())
    if (const auto folder = find_language_model(name)) models.push_back({name, *folder, kind_of(*folder)});
  return models;
}

}  // namespace sotto
