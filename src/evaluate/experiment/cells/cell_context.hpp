// What a cell is computed from, and the functions that compute each kind of cell.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/cache_key.hpp"
#include "evaluate/experiment/experiment_inputs.hpp"
#include "evaluate/experiment/grid.hpp"
#include "evaluate/experiment/rewritten_texts.hpp"
#include "text/wordnet.hpp"

namespace sotto::evaluate {

/// Tables used by several cells, made by the first of them.
struct SharedTables {
  std::mutex mutex;
  std::map<std::string, std::string> tables;
};

struct CellContext {
  const ExperimentSpec& run;
  const ExperimentInputs& inputs;
  const CacheKeys& cache_keys;
  const RewrittenTexts& texts;
  std::filesystem::path work;  ///< for files that a cell needs while it runs
  SharedTables& shared;
  std::function<bool()> go_on;  ///< false: stop and return Errc::interrupted
  std::string wordnet = std::string(text::WordNet::kDefaultFolder);

  /// The same as a progress callback.
  ProgressCallback progress() const {
    return [this](std::uint64_t, std::uint64_t) { return go_on(); };
  }
};

/// A kind of cell. An error of `identity` or `compute` with code not_found or invalid_argument means that the
/// cell is absent for that reason; any other, that it failed. Each cell runs on one thread; several run
/// concurrently.
struct CellType {
  /// What determines the result.
  Result<nlohmann::json> (*identity)(const CellContext&, const Cell&);
  /// The privatized texts it reads.
  std::vector<TextRequest> (*texts)(const CellContext&, const Cell&);
  /// The figures; the same identity gives the same figures.
  Result<nlohmann::ordered_json> (*compute)(const CellContext&, const Cell&);
};

const CellType& words_cell();
const CellType& overlap_cell();
const CellType& similarity_cell();
const CellType& perplexity_cell();
const CellType& classify_cell();
const CellType& attribute_cell();
const CellType& inference_cell();

const CellType& cell_type(CellKind kind);

/// No privatized texts.
std::vector<TextRequest> no_texts(const CellContext& context, const Cell& cell);
/// Those of the split that the text metrics use; none for original texts.
std::vector<TextRequest> measured_texts(const CellContext& context, const Cell& cell);
/// What determines them, original or privatized.
Result<nlohmann::json> measured_texts_identity(const CellContext& context, const Cell& cell);

/// The originals and their rewritten versions: the texts of the rewritten columns, concatenated.
struct TextLists {
  std::vector<std::string> originals;
  std::vector<std::string> privatized;  ///< the originals if the cell is about original texts
};
Result<TextLists> load_text_lists(const CellContext& context, const Cell& cell);

}  // namespace sotto::evaluate
