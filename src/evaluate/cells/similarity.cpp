// CS: how similar the privatized texts are to the originals.
#include <fmt/format.h>

#include "evaluate/cells/cell_context.hpp"
#include "evaluate/spread.hpp"
#include "evaluate/text_metrics.hpp"

namespace sotto {
namespace {

/// The model whose vectors are averaged: the one that is named, that of the mechanism, or the default one.
Result<std::shared_ptr<const Model>> vectors_for(const CellContext& context, const Cell& cell) {
  const std::string& named = context.run.texts->similarity_model;
  std::filesystem::path path;
  if (!named.empty()) {
    SOTTO_ASSIGN(path, find_model(named));
  } else {
    SOTTO_ASSIGN(const PreparedModel* own, context.material.model(cell.model));
    path = own->path;
    if (own->dimension == 0) {
      SOTTO_ASSIGN(path, find_model("sotto-en-wordnet"));
    }
  }
  return Model::open(path);
}

Result<nlohmann::json> identity(const CellContext& context, const Cell& cell) {
  if (context.run.texts->similarity != "average")
    return fail(Errc::not_found, fmt::format("cosine similarity: this build has no sentence encoder for '{}'",
                                             context.run.texts->similarity));
  SOTTO_ASSIGN(nlohmann::json texts, measured_texts_identity(context, cell));
  SOTTO_ASSIGN(const auto model, vectors_for(context, cell));
  return nlohmann::json{{"kind", "similarity"}, {"of", std::move(texts)}, {"vectors", model->digest()}};
}

Result<nlohmann::ordered_json> compute(const CellContext& context, const Cell& cell) {
  SOTTO_ASSIGN(const TextLists texts, load_text_lists(context, cell));
  SOTTO_ASSIGN(const auto model, vectors_for(context, cell));
  SOTTO_ASSIGN(const auto similarity, make_average_vector_similarity(model, 1));
  std::vector<TextPair> pairs;
  for (std::size_t i = 0; i < texts.originals.size(); ++i)
    pairs.push_back({texts.originals[i], texts.privatized[i]});
  SOTTO_ASSIGN(const std::vector<double> values, similarity->similarities(pairs));
  const Spread spread = spread_of(values);
  return nlohmann::ordered_json{{"cs", spread.mean},
                                {"cs_spread", spread.standard_deviation},
                                {"by", similarity->name()},
                                {"texts", values.size()}};
}

}  // namespace

const CellType& similarity_cell() {
  static const CellType type = {identity, measured_texts, compute};
  return type;
}

}  // namespace sotto
