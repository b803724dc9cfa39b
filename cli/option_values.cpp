#include "option_values.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <sotto/model_names.hpp>
#include <sotto/sotto.hpp>

#include "choices.hpp"
#include "command_tree.hpp"

namespace sotto::cli {
namespace {

using Words = std::vector<std::string>;

struct Choices {
  std::string_view command;  ///< empty: every command that has such an option
  std::string_view option;
  std::span<const std::string_view> words;
};

/// The first match counts, so entries of single commands come before shared ones.
constexpr std::array kChoices = {
    Choices{"", "--attack", kAttackOptionNames},
    Choices{"", "--algorithm", kTrainingAlgorithmNames},
    Choices{"", "--bits", kBitsNames},
    Choices{"sotto budget", "--budget", kStrategyNames},
    Choices{"", "--budget", kBudgetNames},
    Choices{"", "--by", kPhraseOrderNames},
    Choices{"", "--articles", kArticlePolicyNames},
    Choices{"", "--case", kCasePolicyNames},
    Choices{"", "--collocations", kRealMethodNames},
    Choices{"", "--connectors", kConnectorRuleNames},
    Choices{"", "--device", kDeviceNames},
    Choices{"", "--encoding", kEncodingNames},
    Choices{"", "--epsilon-chosen-on", kEpsilonBasisNames},
    Choices{"", "--finish", kVectorFinishNames},
    Choices{"sotto collocations count", "--format", kCorpusFormatNames},
    Choices{"sotto collocations tokenize", "--format", kCorpusFormatNames},
    Choices{"sotto ledger export", "--format", kLedgerFormatNames},
    Choices{"sotto train vectors", "--format", kCorpusFormatNames},
    Choices{"", "--format", kFormatNames},
    Choices{"sotto audit", "--method", kAuditMethodNames},
    Choices{"sotto train vectors", "--method", kMethodNames},
    Choices{"", "--method", kRealMethodNames},
    Choices{"", "--metric", kClaimMetricNames},
    Choices{"", "--missing", kMissingFieldNames},
    Choices{"", "--numbers", kNumberPolicyNames},
    Choices{"", "--objective", kTuneObjectiveNames},
    Choices{"sotto explain", "--oov", kReplacingOovNames},
    Choices{"", "--oov", kOovPolicyNames},
    Choices{"", "--output-encoding", kEncodingNames},
    Choices{"", "--outputs", kWordTaskOutputNames},
    Choices{"", "--policy", kPolicyNames},
    Choices{"", "--precision", kPrecisionNames},
    Choices{"sotto tune", "--prior", kWordTaskPriorNames},
    Choices{"", "--prior", kPriorNames},
    Choices{"", "--punctuation", kPunctuationPolicyNames},
    Choices{"", "--stopwords", kStopwordPolicyNames},
    Choices{"", "--target", kPrivacyTargetNames},
    Choices{"", "--through", kAuditPathNames},
    Choices{"", "--to", kExportFormatNames},
    Choices{"", "--what", kLedgerTableNames},
    Choices{"sotto completion", "SHELL", kShellNames},
};

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
  for (const Choices& line : kChoices)
    if (line.option == name && (line.command.empty() || line.command == command_name))
      return {{line.words.begin(), line.words.end()}, false};
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
