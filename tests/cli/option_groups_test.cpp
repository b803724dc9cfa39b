#include "cli/option_groups.hpp"

#include <deque>

#include <gtest/gtest.h>

#include "cli/command_tree.hpp"

namespace sotto::cli {
namespace {

/// A command with these options, in this order; the first ones belong to a group of the command's own.
struct Program {
  explicit Program(const std::vector<const char*>& own, const std::vector<const char*>& others) {
    app.formatter(grouped_help());
    command = app.add_subcommand("work", "Works");
    for (const char* name : own) command->add_option(name, values.emplace_back())->group("Own");
    for (const char* name : others) command->add_option(name, values.emplace_back());
    group_options(app);
  }

  CLI::App app;
  CLI::App* command;
  std::deque<std::string> values;
};

TEST(OptionGroups, StandInOneOrderWhereverTheyAreShown) {
  Program program({"--strange"}, {"--threads", "--seed", "--quiet", "-e,--epsilon", "--oov", "--ledger",
                                  "--draws", "--field", "-o,--output", "--model"});
  EXPECT_EQ(option_groups(*program.command),
            (std::vector<std::string>{"Input and output", "Mechanism", "Policy", "Budget and ledger",
                                      "Measurement", "Own", "Reproducibility", "Performance", "Options"}));
  std::vector<std::string> names;
  for (const CLI::Option* option : named_options(*program.command))
    names.push_back(spellings(*option).back());
  EXPECT_EQ(names,
            (std::vector<std::string>{"--field", "--output", "--epsilon", "--model", "--oov", "--ledger",
                                      "--draws", "--strange", "--seed", "--threads", "--help", "--quiet"}));
  const std::string help = program.command->help();
  EXPECT_LT(help.find("Input and output:"), help.find("--field"));
  EXPECT_LT(help.find("--output"), help.find("Mechanism:"));
  EXPECT_LT(help.find("Own:"), help.find("Reproducibility:"));
}

TEST(OptionGroups, FewOptionsNeedNone) {
  const Program program({}, {"--threads", "--seed", "--field"});
  EXPECT_EQ(option_groups(*program.command), std::vector<std::string>{"Options"});
}

}  // namespace
}  // namespace sotto::cli
