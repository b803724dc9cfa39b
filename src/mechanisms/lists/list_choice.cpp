#include "mechanisms/lists/list_choice.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked_value.hpp"
#include "text/printable.hpp"

namespace sotto::mechanism {

ParameterInfo lists_parameter() {
  return {"lists", "L0",
          "L0: one list from each model; L1: two from each; L2: one list from the first model"};
}

Result<ListChoice> ListChoice::make(std::shared_ptr<const Model> model, std::string_view lists) {
  SOTTO_ASSIGN(const std::size_t set, read_choice("parameters.lists", lists, {"L0", "L1", "L2"}));
  if (model->lists().empty())
    return fail_parameter(
        "model", model->name(),
        base::format_message("'{}' has no word lists; build them with '{{0}}'", model->name()),
        Errc::invalid_argument,
        {{"lists build",
          {{"model", model->path().string()},
           {"output", fmt::format("{}-lists.safetensors", model->name())}}}});
  const std::size_t per_model = set == 1 ? 2 : 1;
  ListChoice choice;
  choice.words_ = model->size();
  std::map<std::string_view, std::size_t> taken;
  for (const WordList& list : model->lists()) {
    if (set == 2 && !choice.orders_.empty()) break;
    if (taken[list.source]++ >= per_model) continue;
    choice.orders_.push_back(list.order);
    choice.sources_.push_back(list.source);
  }
  for (const auto& [source, count] : taken)
    if (count < per_model && set == 1)
      return fail_parameter(
          "parameters.lists", lists,
          fmt::format(
              "L1 needs two lists from each model, but '{}' has {} from {}; give L0 or L2, or build more",
              model->name(), count, source));
  choice.places_.resize(choice.orders_.size() * (choice.words_ + 1ULL));
  for (std::size_t l = 0; l < choice.orders_.size(); ++l) {
    std::uint32_t* places = &choice.places_[l * (choice.words_ + 1ULL)];
    for (std::uint32_t i = 0; i < choice.words_; ++i) places[choice.orders_[l][i]] = i;
    places[model->bottom()] = choice.words_ / 2;
  }
  choice.model_ = std::move(model);
  return choice;
}

std::string ListChoice::names() const {
  std::vector<std::string> models;
  for (const std::string& source : sources_)
    if (std::string name = text::printable(source);
        std::find(models.begin(), models.end(), name) == models.end())
      models.push_back(std::move(name));
  const std::string last = models.back();
  models.pop_back();
  const std::string all = models.empty() ? last : fmt::format("{} and {}", fmt::join(models, ", "), last);
  if (size() == 1) return fmt::format("the list of {}", all);
  if (size() == models.size() + 1) return fmt::format("the lists of {}", all);
  return fmt::format("the two lists of {}{}", models.empty() ? "" : "each of ", all);
}

}  // namespace sotto::mechanism
