// The program: reads the command line, runs a subcommand, turns errors into one line and an exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "error_line.hpp"
#include "last_words.hpp"

namespace {

using namespace sotto;
using namespace sotto::cli;

constexpr int kWrongCommandLine = 2;

constexpr const char* kFooter = R"(Examples:
  sotto privatize reviews.txt -o private.txt --epsilon 1
  sotto privatize tickets.jsonl --field text --id-field id --epsilon 0.5 --report receipt.json > private.jsonl
  sotto explain pizza --epsilon 1
  sotto mechanisms

'sotto COMMAND --help' shows the options and examples of a command.)";

std::string suggestion(const std::string& typed, const std::vector<std::string>& known) {
  const std::string name = closest(typed.substr(0, typed.find('=')), known);
  return name.empty() ? "" : fmt::format(" (did you mean {}?)", name);
}

/// What is wrong with the command line, on one line, with a suggestion where a name was probably misspelled.
std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  std::vector<std::string> commands;
  for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(sub->get_name());
  const std::vector<std::string> unread = command->remaining();
  std::string message = error.what();
  const std::string option = message.substr(0, message.find(':'));
  if (!unread.empty() && unread.front().starts_with('-'))
    return fmt::format("{}: no such option{}", unread.front(), suggestion(unread.front(), options));
  if (!unread.empty() && !commands.empty())
    return fmt::format("'{}' is not a command; there are {}{}", unread.front(), fmt::join(commands, ", "),
                       suggestion(unread.front(), commands));
  if (!unread.empty()) return fmt::format("'{}': one argument too many", unread.front());
  if (!commands.empty()) return fmt::format("a command is missing; there are {}", fmt::join(commands, ", "));
  if (error.get_name() == "RequiredError")
    return fmt::format("{}: missing", message.substr(0, message.find(" is required")));
  if (message.ends_with("missing")) return fmt::format("{}: its value is missing", option);
  if (message.find("At Most") != std::string::npos) return fmt::format("{}: may be given only once", option);
  return message;
}

int run(int argc, char** argv) {
  CLI::App app("Sotto rewrites text under differential privacy.", "sotto");
  app.set_version_flag("--version", fmt::format("sotto {}", library_version()));
  app.require_subcommand(1);
  app.footer(kFooter);
  std::vector<NamedAction> commands;
  const auto add = [&](Action (*make)(CLI::App&)) {
    Action action = make(app);
    commands.push_back({app.get_subcommands({}).back(), std::move(action)});
  };
  add(add_privatize);
  add(add_mechanisms);
  add(add_explain);
  add(add_budget);
  add(add_audit);
  add(add_attack);
  add(add_tune);
  add(add_bench);
  add(add_evaluate);
  for (NamedAction& command : add_model(app)) commands.push_back(std::move(command));
  for (NamedAction& command : add_lists(app)) commands.push_back(std::move(command));
  for (NamedAction& command : add_train(app)) commands.push_back(std::move(command));
  for (NamedAction& command : add_ledger(app)) commands.push_back(std::move(command));
  for (NamedAction& command : add_collocations(app)) commands.push_back(std::move(command));
  for (NamedAction& command : add_lm(app)) commands.push_back(std::move(command));

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    say(describe(app, error));
    return kWrongCommandLine;
  }
  for (const NamedAction& command : commands) {
    if (!command.command->parsed()) continue;
    const Result<void> result = command.action();
    if (result) return 0;
    say(error_line(result.error()));
    return result.error().code == Errc::invalid_argument ? kWrongCommandLine : kFailed;
  }
  return kWrongCommandLine;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  catch_interrupts();
  prepare_last_words();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kFailed;
}
