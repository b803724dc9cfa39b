// Models and list sets: what opens can be used, and what verifies outputs only its own words.
#include <algorithm>
#include <set>

#include <sotto/model.hpp>
#include <sotto/privatize.hpp>

#include "embed/vocabulary.hpp"
#include "fuzz.hpp"
#include "seals.hpp"

namespace {

using namespace sotto;
using fuzz::require;

// Small enough for every mechanism.
constexpr std::uint32_t kMostWords = 64;

void use(const Model& model) {
  std::uint64_t bytes = 0;
  for (TokenId id = 0; id < model.size(); ++id) {
    const std::string_view word = model.word(id);
    bytes += word.size();
    const TokenId found = ModelAccess::vocabulary(model).find_exact(word);
    require(word.empty() || found == model.bottom() || model.word(found) == word,
            "a word is found under its own spelling");
    (void)model.find(word);
  }
  require(model.counts().empty() || model.counts().size() == model.size(), "each word has a count");
  for (const WordList& list : model.lists()) {
    std::set<TokenId> seen(list.order.begin(), list.order.end());
    require(list.order.size() == model.size() && seen.size() == model.size() &&
                (seen.empty() || *seen.rbegin() < model.size()),
            "a list holds every word once");
  }
  if (model.dimension() > 0 && model.size() > 0)
    require(model.squared_distance(0, model.size() - 1) >= 0 && model.squared_distance(0, 0) == 0,
            "squared distances are not negative");
}

/// A model that verifies can rewrite a text.
void rewrite(const Model& model) {
  PrivatizeOptions options;
  options.mechanism.name = model.lists().empty() ? "tem" : "diffractor-geometric";
  options.mechanism.epsilon = 1;
  options.seed = 1;
  options.mechanism.model = model.path().string();
  options.policy.letter_case = CasePolicy::position;  // the table of word forms is not installed here
  const auto privatizer = Privatizer::make(options);
  if (!privatizer) return;
  Counts counts;
  const auto output = (*privatizer)->privatize({"set", "1", ""}, "Soup, 12 dogs!", counts);
  require(output.has_value(), "a model that is taken rewrites a text");
  for (TokenId id = 0; id < model.size(); ++id)
    if (model.word(id).find("oup") != std::string_view::npos) return;
  require(output->find("oup") == std::string::npos, "no word of the input is in the output");
}

void open_and_use(const std::filesystem::path& file) {
  const auto model = Model::open(file);
  if (!model || (*model)->size() > kMostWords) return;
  use(**model);
  if (!(*model)->verify()) return;
  if ((*model)->dimension() > 0) {
    const TokenId first[] = {0};
    (void)nearest_words(**model, first, 3);
  }
  rewrite(**model);
}

}  // namespace

SOTTO_FUZZ_TARGET(model) {
  open_and_use(fuzz::write_scratch("model.safetensors", input));
  if (const auto sealed = fuzz::with_right_digest(std::string(input)))
    open_and_use(fuzz::write_scratch("sealed.safetensors", *sealed));
}
