#include "program.hpp"

#include <fmt/format.h>

#include "completion.hpp"
#include "option_groups.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kProgramFooter = R"(Examples:
  sotto privatize reviews.txt -o private.txt --mechanism tem --epsilon 12
  sotto privatize tickets.jsonl --field text --id-field id -m tem -e 12 --report receipt.json > private.jsonl
  sotto choose reviews.txt
  sotto explain pizza --epsilon 1
  sotto receipt show receipt.json
  sotto mechanisms

'sotto COMMAND --help' shows the options and examples of a command.)";

}  // namespace

std::vector<NamedAction> build_program(CLI::App& app) {
  app.name("sotto");
  app.formatter(grouped_help());  // subcommands inherit it
  app.description("Sotto rewrites text under differential privacy.");
  app.set_version_flag("--version", fmt::format("sotto {}", library_version()));
  app.require_subcommand(1);
  app.footer(kProgramFooter);
  std::vector<NamedAction> commands;
  for (const auto add : {add_privatize, add_mechanisms, add_choose, add_explain, add_budget, add_audit,
                         add_attack, add_tune, add_bench, add_evaluate}) {
    Action action = add(app);
    commands.push_back({app.get_subcommands({}).back(), std::move(action)});
  }
  for (const auto add :
       {add_model, add_lists, add_train, add_receipt, add_ledger, add_collocations, add_lm, add_serve})
    for (NamedAction& command : add(app)) commands.push_back(std::move(command));
  Action completion = add_completion(app);
  commands.push_back({app.get_subcommands({}).back(), std::move(completion)});
  group_options(app);
  return commands;
}

}  // namespace sotto::cli
