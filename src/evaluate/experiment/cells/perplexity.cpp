// The perplexity of the texts under a causal language model.
#include <algorithm>

#include <sotto/language_models.hpp>

#include "evaluate/experiment/cells/cell_context.hpp"
#include "lm/language_folder.hpp"

namespace sotto::evaluate {
namespace {

std::string causal_model(const CellContext& context) {
  const std::string& named = context.run.texts->language_model;
  return named.empty() ? std::string(kDefaultCausalModel) : named;
}

Result<nlohmann::json> perplexity_identity(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(nlohmann::json texts, measured_texts_identity(context, cell));
  SOTTO_ASSIGN(const auto folder, find_language_model(causal_model(context)));
  SOTTO_ASSIGN(const std::string digest, lm::folder_digest(folder));
  return nlohmann::json{{"kind", "perplexity"}, {"of", std::move(texts)}, {"model", digest}};
}

Result<nlohmann::ordered_json> compute_perplexity(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(const TextLists texts, load_text_lists(context, cell));
  SOTTO_ASSIGN(const std::vector<TextScore> scores,
               text_scores(texts.privatized, causal_model(context), {.threads = 1}));
  TextScore total;
  double sum = 0;
  for (const TextScore& score : scores) {
    total += score;
    sum += score.perplexity();
  }
  return nlohmann::ordered_json{
      {"perplexity", sum / static_cast<double>(std::max<std::size_t>(1, scores.size()))},
      {"perplexity_of_all", total.perplexity()},
      {"perplexity_per_word", total.perplexity_per_word()},
      {"by", causal_model(context)},
      {"texts", scores.size()}};
}

}  // namespace

const CellType& perplexity_cell() {
  static const CellType type = {perplexity_identity, measured_texts, compute_perplexity};
  return type;
}

}  // namespace sotto::evaluate
