#include "option_groups.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "command_tree.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kFewOptions = 9;

constexpr std::string_view kInputOutput = "Input and output";
constexpr std::string_view kMechanism = "Mechanism";
constexpr std::string_view kPolicy = "Policy";
constexpr std::string_view kBudget = "Budget and ledger";
constexpr std::string_view kMeasurement = "Measurement";
constexpr std::string_view kTraining = "Training";
constexpr std::string_view kReproducibility = "Reproducibility";
constexpr std::string_view kPerformance = "Performance";

// Groups that a command names itself come before the last three.
constexpr std::array kFirstGroups = {kInputOutput, kMechanism, kPolicy, kBudget, kMeasurement, kTraining};
constexpr std::array kLastGroups = {kReproducibility, kPerformance, kUngrouped};

struct GroupedOption {
  std::string_view name;
  std::string_view group;
  std::string_view command = {};  // empty: wherever it occurs and is not listed for that command
};

constexpr GroupedOption kGrouped[] = {
    {"allow-empty", kInputOutput},
    {"class", kInputOutput},
    {"counts", kInputOutput},
    {"data", kInputOutput},
    {"dataset", kInputOutput},
    {"delimiter", kInputOutput},
    {"encoding", kInputOutput},
    {"field", kInputOutput},
    {"format", kInputOutput},
    {"id-field", kInputOutput},
    {"losses", kInputOutput},
    {"max-document-bytes", kInputOutput},
    {"metadata", kInputOutput},
    {"missing", kInputOutput},
    {"no-header", kInputOutput},
    {"original", kInputOutput},
    {"output", kInputOutput},
    {"output-encoding", kInputOutput},
    {"phrases", kInputOutput},
    {"preview", kInputOutput},
    {"privatized", kInputOutput},
    {"public", kInputOutput},
    {"report", kInputOutput},
    {"resume", kInputOutput},
    {"shard", kInputOutput},
    {"statistics", kInputOutput},
    {"unique-ids", kInputOutput},
    {"vocabulary", kInputOutput},
    {"work", kInputOutput},
    {"keep-non-words", kInputOutput},
    {"keep-work", kInputOutput},
    {"skip-missing", kInputOutput},
    {"words", kInputOutput, "tune"},

    {"epsilon", kMechanism},
    {"grid", kMechanism},
    {"mechanism", kMechanism},
    {"model", kMechanism},
    {"set", kMechanism},
    {"target", kMechanism},

    {"articles", kPolicy},
    {"case", kPolicy},
    {"collocations", kPolicy},
    {"numbers", kPolicy},
    {"oov", kPolicy},
    {"phrases", kPolicy, "privatize"},
    {"policy", kPolicy},
    {"punctuation", kPolicy},
    {"stopwords", kPolicy},

    {"average-words", kBudget},
    {"base-epsilon", kBudget},
    {"budget", kBudget},
    {"delta", kBudget},
    {"document-epsilon", kBudget},
    {"epsilon-chosen-on", kBudget},
    {"ledger", kBudget},
    {"limit", kBudget, "privatize"},
    {"profile", kBudget},
    {"subject", kBudget},
    {"tokens", kBudget},
    {"words", kBudget, "budget"},

    {"against", kMeasurement},
    {"attack", kMeasurement},
    {"confidence", kMeasurement},
    {"draws", kMeasurement},
    {"max-loss", kMeasurement},
    {"method", kMeasurement, "audit"},
    {"most-recovered", kMeasurement},
    {"neighbours", kMeasurement},
    {"objective", kMeasurement},
    {"outputs", kMeasurement},
    {"prior", kMeasurement},
    {"text", kMeasurement},
    {"top", kMeasurement},
    {"trials", kMeasurement},
    {"unlabelled-loss", kMeasurement},
    {"unproven", kMeasurement},
    {"use-private", kMeasurement},
    {"word", kMeasurement},
    {"words", kMeasurement},

    {"algorithm", kTraining},
    {"bits", kTraining},
    {"dim", kTraining},
    {"epochs", kTraining},
    {"finish", kTraining},
    {"learning-rate", kTraining},
    {"limit", kTraining, "vectors"},
    {"method", kTraining, "vectors"},
    {"min-count", kTraining, "vectors"},
    {"negatives", kTraining},
    {"subsampling", kTraining},
    {"subwords", kTraining},
    {"window", kTraining},

    {"key-file", kReproducibility},
    {"seed", kReproducibility},

    {"device", kPerformance},
    {"memory", kPerformance},
    {"precision", kPerformance},
    {"threads", kPerformance},
};

std::string_view group_of(std::string_view option, std::string_view command) {
  std::string_view group = kUngrouped;
  for (const GroupedOption& entry : kGrouped) {
    if (entry.name != option) continue;
    if (entry.command == command) return entry.group;
    if (entry.command.empty()) group = entry.group;
  }
  return group;
}

std::size_t rank(const std::string& group) {
  const auto first = std::find(kFirstGroups.begin(), kFirstGroups.end(), group);
  if (first != kFirstGroups.end()) return static_cast<std::size_t>(first - kFirstGroups.begin());
  const auto last = std::find(kLastGroups.begin(), kLastGroups.end(), group);
  return kFirstGroups.size() + (last == kLastGroups.end() ? 0 : 1 + (last - kLastGroups.begin()));
}

/// CLI11's formatter shows groups in the order of their first options, and only the whole help can be
/// overridden.
class GroupedHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode != CLI::AppFormatMode::Normal) return CLI::Formatter::make_help(app, std::move(name), mode);
    std::ostringstream out;
    out << make_description(app) << make_usage(app, std::move(name)) << make_positionals(app);
    const std::vector<std::string> groups = option_groups(*app);
    for (const std::string& group : groups) {
      std::vector<const CLI::Option*> options;
      for (const CLI::Option* option : named_options(*app))
        if (option->get_group() == group) options.push_back(option);
      out << make_group(group, false, options) << (group == groups.back() ? "" : "\n");
    }
    out << make_subcommands(app, mode) << '\n' << make_footer(app);
    return out.str();
  }
};

}  // namespace

void group_options(CLI::App& command) {
  for (CLI::App* sub : command.get_subcommands([](CLI::App*) { return true; })) group_options(*sub);
  if (named_options(command).size() <= kFewOptions) return;
  for (CLI::Option* option : command.get_options())
    if (option->get_group() == kUngrouped && !option->get_lnames().empty())
      option->group(std::string(group_of(option->get_lnames().front(), command.get_name())));
}

std::vector<std::string> option_groups(const CLI::App& command) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options())
    if (!spellings(*option).empty() &&
        std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  std::stable_sort(groups.begin(), groups.end(),
                   [](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return groups;
}

std::shared_ptr<CLI::FormatterBase> grouped_help() {
  return std::make_shared<GroupedHelp>();
}

}  // namespace sotto::cli
