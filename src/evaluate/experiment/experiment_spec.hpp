// The description of an experiment: a YAML file as plain structs. docs/evaluate.md explains every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "evaluate/experiment/data_catalog.hpp"

namespace sotto::evaluate {

struct DatasetSpec {
  std::string label;
  std::string from;                           ///< name in the data catalog
  std::optional<DatasetEntry> own;            ///< described in the run file itself, instead of `from`
  std::map<std::string, std::uint64_t> rows;  ///< maximum per split
};

/// A model file, vectors to import, a list set to build from vectors, or the folder of a language model.
struct ModelSpec {
  std::string label;
  std::string file;     ///< name or path of a model
  std::string vectors;  ///< name in the data catalog
  std::uint64_t limit = 0;
  std::string vocabulary;                ///< word list of the catalog; empty: all words
  bool keep_non_words = false;           ///< import punctuation and numbers too
  std::vector<std::string> list_models;  ///< labels of models; lists over the words they share
  std::uint32_t lists_per_model = 1;
  std::string language_model;   ///< folder, or its name among the models
  Device device = Device::cpu;  ///< of the language model
  Precision precision = Precision::automatic;
};

struct ExperimentMechanism {
  std::string label;
  std::string mechanism;
  ParameterValues parameters;
  std::vector<std::string> models;  ///< labels; empty: all
  std::vector<double> epsilons;     ///< empty: those of the run
  std::string policy;
  /// Empty: ε per token. Otherwise each document's budget is ε times the mean number of words of a text.
  std::string budget;
  Segmentation collocations = Segmentation::none;
};

/// What a measure applies to; an empty list means all.
struct CellSelection {
  std::vector<std::string> datasets;
  std::vector<std::string> models;
  std::vector<std::string> mechanisms;
  std::vector<double> epsilons;
};

/// N_w and S_w.
struct WordsMeasure {
  CellSelection of;
  std::uint64_t words = 25;
  std::uint64_t draws = 100;
  std::uint64_t repetitions = 1;
  bool from_texts = true;  ///< words of the data set; otherwise of the vocabulary
  bool sampled = false;    ///< draw even if there is a closed form
  std::string split = "test";
};

/// Metrics of the rewritten texts.
struct TextsMeasure {
  CellSelection of;
  std::string split = "test";
  std::vector<std::string> metrics;
  std::uint64_t least_occurring = 1000;
  std::string english;           ///< word list; empty: WordNet if installed
  std::string similarity;        ///< "average": mean vectors; otherwise a sentence encoder's folder
  std::string similarity_model;  ///< whose vectors; empty: those of the mechanism, or the default model
  std::string language_model;    ///< for the perplexity
};

struct ClassifierSpec {
  std::string label;
  std::string kind;
  ParameterValues parameters;
  std::uint64_t runs = 3;
  std::uint64_t baseline_runs = 3;
  CellSelection of;
};

struct AttackerSpec {
  std::string label;
  std::string kind;
  ParameterValues parameters;
  std::string attribute;  ///< the column to infer
  bool is_static = true;
  bool adaptive = true;
  std::uint64_t runs = 3;
  CellSelection of;
};

/// E_M and L_M: the expected error of an adversary who knows prior and mechanism, and the expected loss.
struct InferenceSpec {
  std::string label;
  std::string words;  ///< word list of the catalog; empty: the words of the texts of `prior`
  std::string prior;  ///< label of the data set whose counts are the prior; empty: uniform
  std::string split = "train";
  std::uint64_t draws = 100;
  std::uint64_t limit = 0;  ///< only this many of the most frequent words; 0: all
  std::string outputs = "list";
  CellSelection of;
};

struct ReportSpec {
  std::vector<double> puc_alphas;
  std::string puc_classifier;    ///< label; empty: the first one
  bool regression = false;       ///< cosine similarity on ε, N_w, S_w and PP
  std::string utility = "auto";  ///< accuracy, micro_f1, macro_f1
  std::vector<std::string> notes;
};

struct ExperimentSpec {
  std::filesystem::path file;
  std::string title;
  std::string about;
  std::uint64_t seed = 1;
  std::filesystem::path catalog;           ///< a file; empty if `data` is given, or nothing names one
  std::optional<DataCatalog> own_catalog;  ///< in the run file itself
  std::vector<double> epsilons;
  std::uint64_t repetitions = 1;
  std::vector<DatasetSpec> datasets;
  std::vector<ModelSpec> models;
  std::vector<ExperimentMechanism> mechanisms;
  std::optional<WordsMeasure> words;
  std::optional<TextsMeasure> texts;
  std::vector<ClassifierSpec> classifiers;
  std::vector<AttackerSpec> attackers;
  std::vector<InferenceSpec> inference;
  ReportSpec report;
};

/// Reads a run file; with `quick`, the content of that key is merged over the rest. Callers resolve the names
/// of data sets, vectors and lists; labels inside the file are checked here.
Result<ExperimentSpec> read_experiment_spec(const std::filesystem::path& file, bool quick);

/// The word lists of the catalog that the run names.
std::set<std::string> used_word_lists(const ExperimentSpec& run);
/// Whether the run names anything that only a catalog can describe.
bool names_catalog_entries(const ExperimentSpec& run);

/// "strict", "paper", or either with parts changed, such as "paper stopwords=privatize".
Result<Policy> parse_policy_text(const std::string& text);

}  // namespace sotto::evaluate
