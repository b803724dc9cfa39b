// CS: how similar the privatized texts are to the originals.
#include <sotto/language_models.hpp>

#include "evaluate/experiment/cells/cell_context.hpp"
#include "evaluate/metrics/mean_interval.hpp"
#include "evaluate/metrics/text_metrics.hpp"
#include "lm/language_folder.hpp"

namespace sotto::evaluate {
namespace {

/// The model whose vectors are averaged: the one named, that of the mechanism, or the default.
Result<std::shared_ptr<const Model>> vectors_for(const CellContext& context, const Cell& cell) {
  const std::string& named = context.run.texts->similarity_model;
  std::filesystem::path path;
  if (!named.empty()) {
    SOTTO_ASSIGN(path, find_model(named));
  } else {
    SOTTO_ASSIGN(const PreparedModel* own, context.inputs.model(cell.model));
    path = own->path;
    if (own->dimension == 0) {
      SOTTO_ASSIGN(path, find_model("sotto-en-wordnet"));
    }
  }
  return Model::open(path);
}

bool uses_average_vectors(const CellContext& context) {
  return context.run.texts->similarity == "average";
}

Result<nlohmann::json> similarity_identity(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(nlohmann::json texts, measured_texts_identity(context, cell));
  nlohmann::json identity{{"kind", "similarity"}, {"of", std::move(texts)}};
  if (uses_average_vectors(context)) {
    SOTTO_ASSIGN(const auto model, vectors_for(context, cell));
    identity["vectors"] = model->digest();
  } else {
    SOTTO_ASSIGN(const auto folder, find_language_model(context.run.texts->similarity));
    SOTTO_ASSIGN(identity["encoder"], lm::folder_digest(folder));
  }
  return identity;
}

Result<std::vector<double>> average_similarities(const CellContext& context, const Cell& cell,
                                                 const TextLists& texts) {
  SOTTO_ASSIGN(const auto model, vectors_for(context, cell));
  SOTTO_ASSIGN(const auto similarity, make_average_vector_similarity(model, 1));
  std::vector<RewrittenText> pairs;
  for (std::size_t i = 0; i < texts.originals.size(); ++i)
    pairs.push_back({texts.originals[i], texts.privatized[i]});
  return similarity->similarities(pairs);
}

Result<nlohmann::ordered_json> compute_similarity(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(const TextLists texts, load_text_lists(context, cell));
  const std::string& encoder = context.run.texts->similarity;
  const auto values = uses_average_vectors(context)
                          ? average_similarities(context, cell, texts)
                          : text_similarities(texts.originals, texts.privatized, encoder, {.threads = 1});
  if (!values) return tl::unexpected(values.error());
  const Spread spread = spread_of(*values);
  return nlohmann::ordered_json{{"cs", spread.mean},
                                {"cs_spread", spread.standard_deviation},
                                {"by", uses_average_vectors(context) ? "average word vectors" : encoder},
                                {"texts", values->size()}};
}

}  // namespace

const CellType& similarity_cell() {
  static const CellType type = {similarity_identity, measured_texts, compute_similarity};
  return type;
}

}  // namespace sotto::evaluate
