#include "option_values.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <sotto/model_names.hpp>
#include <sotto/sotto.hpp>

#include "command_tree.hpp"

namespace sotto::cli {
namespace {

using Words = std::vector<std::string>;

struct Choices {
  std::string_view command;  ///< empty: every command that has such an option
  std::string_view option;
  Words words;
};

/// The first match counts, so entries of single commands come before shared ones.
std::span<const Choices> choices() {
  static const std::array kChoices = {
      Choices{"", "--attack", {"bayes", "nearest", "inversion", "mask"}},
      Choices{"", "--algorithm", {"skipgram", "cbow"}},
      Choices{"", "--bits", {"8", "16"}},
      Choices{"sotto budget", "--budget", {"token", "even", "words", "positions"}},
      Choices{"", "--budget", {"token", "even", "words", "positions", "S1", "S2", "S3", "S4"}},
      Choices{"", "--by", {"pmi", "count"}},
      Choices{"", "--case", {"position", "keep", "lower"}},
      Choices{"", "--collocations", {"gst", "mst", "optimal"}},
      Choices{"", "--connectors", {"none", "inside", "any"}},
      Choices{"", "--device", {"cpu", "cuda"}},
      Choices{"", "--finish", {"refined", "raw"}},
      Choices{"sotto collocations count", "--format", {"text", "jsonl"}},
      Choices{"sotto collocations tokenize", "--format", {"text", "jsonl"}},
      Choices{"sotto ledger export", "--format", {"csv", "jsonl"}},
      Choices{"sotto train vectors", "--format", {"text", "jsonl"}},
      Choices{"", "--format", {"text", "jsonl", "csv", "tsv"}},
      Choices{"sotto audit", "--method", {"exact", "black-box"}},
      Choices{"sotto train vectors", "--method", {"gst", "mst", "optimal", "none"}},
      Choices{"", "--method", {"gst", "mst", "optimal"}},
      Choices{"", "--metric", {"euclidean", "index", "pure"}},
      Choices{"", "--numbers", {"random", "keep", "drop"}},
      Choices{"", "--objective", {"inference-error", "best-guess"}},
      Choices{"", "--oov", {"bottom", "keep", "drop"}},
      Choices{"", "--outputs", {"list", "model"}},
      Choices{"", "--policy", {"strict", "paper"}},
      Choices{"", "--precision", {"f32", "int8"}},
      Choices{"sotto tune", "--prior", {"list", "uniform", "counts"}},
      Choices{"", "--prior", {"uniform", "counts"}},
      Choices{"", "--punctuation", {"keep", "drop"}},
      Choices{"", "--stopwords", {"privatize", "keep"}},
      Choices{"", "--target", {"nominal", "certified"}},
      Choices{"", "--through", {"mechanism", "document"}},
      Choices{"", "--to", {"word2vec-text", "word2vec-bin"}},
      Choices{"", "--what", {"entries", "accounts", "withheld"}},
      Choices{"sotto completion", "SHELL", {"bash", "zsh", "fish"}},
  };
  return kChoices;
}

Words mechanism_names() {
  Words names;
  for (const MechanismInfo& info : mechanisms()) names.push_back(info.name);
  return names;
}

Words names_of_models(bool vectors, bool language) {
  Words names;
  if (vectors) names = model_names();
  if (language)
    for (std::string& name : language_model_names()) names.push_back(std::move(name));
  return names;
}

/// Whether the help calls the argument or option a file or a folder. An argument is a file unless stated
/// otherwise.
bool is_file(const CLI::Option& option, std::string_view name) {
  static constexpr std::array<std::string_view, 9> kFileTypes = {"FILE",    "OUT",   "M",      "F",  "P",
                                                                 "PHRASES", "LISTS", "FOLDER", "DIR"};
  static constexpr std::array<std::string_view, 4> kPlainArguments = {"WORD", "SUBJECT", "N", "TEXT"};
  const auto among = [](const auto& names, std::string_view one) {
    return std::find(names.begin(), names.end(), one) != names.end();
  };
  if (spellings(option).empty()) return !among(kPlainArguments, name);
  const std::string type = option.get_type_name();
  return among(kFileTypes, type) || type.starts_with("FILE.");
}

}  // namespace

OptionValues option_values(const CLI::App& command, const CLI::Option& option) {
  const std::vector<std::string> names = spellings(option);
  const std::string name = names.empty() ? option.get_name() : names.back();
  const std::string command_name = full_name(command);
  for (const Choices& line : choices())
    if (line.option == name && (line.command.empty() || line.command == command_name))
      return {line.words, false};
  if (name == "--mechanism" || (command_name == "sotto mechanisms" && name == "NAME"))
    return {mechanism_names(), false};
  if (name == "--model" || name == "MODEL") {
    const bool language = command_name.starts_with("sotto lm ");
    const bool rewrites = command_name == "sotto privatize" || command_name == "sotto attack";
    return {names_of_models(!language, language || rewrites), true};
  }
  return {{}, is_file(option, name)};
}

}  // namespace sotto::cli
