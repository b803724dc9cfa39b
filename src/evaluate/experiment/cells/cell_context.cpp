#include "evaluate/experiment/cells/cell_context.hpp"

#include <iterator>

namespace sotto::evaluate {

const CellType& cell_type(CellKind kind) {
  switch (kind) {
    case CellKind::words:
      return words_cell();
    case CellKind::overlap:
      return overlap_cell();
    case CellKind::similarity:
      return similarity_cell();
    case CellKind::perplexity:
      return perplexity_cell();
    case CellKind::classify:
      return classify_cell();
    case CellKind::attribute:
      return attribute_cell();
    case CellKind::inference:
      break;
  }
  return inference_cell();
}

std::vector<TextRequest> no_texts(const CellContext&, const Cell&) {
  return {};
}

std::vector<TextRequest> measured_texts(const CellContext& context, const Cell& cell) {
  if (cell.mechanism.empty()) return {};
  return {texts_of(cell, context.run.texts->split)};
}

Result<nlohmann::json> measured_texts_identity(const CellContext& context, const Cell& cell) {
  const std::string& split = context.run.texts->split;
  if (!cell.mechanism.empty()) return context.texts.identity(texts_of(cell, split));
  SOTTO_ASSIGN(const DataSplit* originals, context.inputs.split(cell.dataset, split));
  return nlohmann::json{{"texts", originals->digest},
                        {"columns", context.inputs.entry(cell.dataset).privatize},
                        {"versions", context.cache_keys.versions()}};
}

Result<TextLists> load_text_lists(const CellContext& context, const Cell& cell) {
  const DatasetEntry& entry = context.inputs.entry(cell.dataset);
  SOTTO_ASSIGN(const DataSplit* split, context.inputs.split(cell.dataset, context.run.texts->split));
  TextColumns privatized = split->texts;
  if (!cell.mechanism.empty()) {
    SOTTO_ASSIGN(privatized, context.texts.load(texts_of(cell, context.run.texts->split)));
  }
  TextLists lists;
  for (std::size_t column = 0; column < entry.text.size(); ++column) {
    if (!entry.is_privatized(column)) continue;
    lists.originals.insert(lists.originals.end(), split->texts[column].begin(), split->texts[column].end());
    lists.privatized.insert(lists.privatized.end(), std::make_move_iterator(privatized[column].begin()),
                            std::make_move_iterator(privatized[column].end()));
  }
  return lists;
}

}  // namespace sotto::evaluate
