// The perplexity of the texts under a language model. No language model is linked into this build, so these
// cells are absent, and the report says why.
#include "evaluate/cells/cell_context.hpp"

namespace sotto {
namespace {

Result<nlohmann::json> identity(const CellContext&, const Cell&) {
  return fail(Errc::not_found, "perplexity: this build has no language model to compute it");
}

Result<nlohmann::ordered_json> compute(const CellContext& context, const Cell& cell) {
  SOTTO_TRY(identity(context, cell));
  return nlohmann::ordered_json::object();
}

}  // namespace

const CellType& perplexity_cell() {
  static const CellType type = {identity, measured_texts, compute};
  return type;
}

}  // namespace sotto
