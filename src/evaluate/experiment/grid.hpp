// The cells of an experiment: every measured combination, in a fixed order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "evaluate/experiment/experiment_spec.hpp"

namespace sotto::evaluate {

enum class CellKind {
  words,       ///< N_w and S_w
  overlap,     ///< PP, LOW, English words, BLEU, lengths
  similarity,  ///< CS
  perplexity,
  classify,   ///< utility: a classifier is trained and scored
  attribute,  ///< attack: an attribute is guessed
  inference,  ///< E_M and L_M of several mechanisms at one ε, which share their noise
};
const char* to_string(CellKind kind);

/// What to measure. Strings are labels of the run file.
struct Cell {
  CellKind kind = CellKind::words;
  std::string dataset;    ///< empty: none is used
  std::string model;      ///< empty: none is used, as for measurements on original texts
  std::string mechanism;  ///< empty: original texts, or several mechanisms (inference)
  double epsilon = 0;     ///< 0: none
  std::uint64_t repetition = 0;
  std::uint64_t run = 0;
  std::string measure;  ///< classifier, attacker or word task
  std::string mode;     ///< of an attacker: unprotected, static, adaptive
};

/// Labels and numbers by name, without empty ones.
nlohmann::ordered_json to_json(const Cell& cell);

/// All cells, in the order of their lines in results.jsonl.
std::vector<Cell> make_grid(const ExperimentSpec& run);

/// A classifier parameter with this value gets the file of the cell's model.
inline constexpr std::string_view kCellModel = "@model";
bool uses_cell_model(const ParameterValues& parameters);

/// The entry with that label; it exists, since labels are checked when the file is read.
const ModelSpec& find_model_spec(const ExperimentSpec& run, const std::string& label);
const ExperimentMechanism& find_experiment_mechanism(const ExperimentSpec& run, const std::string& label);
const ClassifierSpec& find_classifier(const ExperimentSpec& run, const std::string& label);
const AttackerSpec& find_attacker(const ExperimentSpec& run, const std::string& label);
const InferenceSpec& find_inference(const ExperimentSpec& run, const std::string& label);

/// The mechanisms that an inference cell measures together.
std::vector<const ExperimentMechanism*> inference_mechanisms(const ExperimentSpec& run, const Cell& cell);

}  // namespace sotto::evaluate
