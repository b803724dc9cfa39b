// The program: parses the command line, runs a subcommand, and turns errors into one line and an exit code.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "completion.hpp"
#include "error_line.hpp"
#include "interruption.hpp"
#include "last_words.hpp"
#include "man_page.hpp"
#include "program.hpp"

namespace {

using namespace sotto;
using namespace sotto::cli;

constexpr int kWrongCommandLine = 2;

/// `known` without the hyphens before it; `typed` as it was typed, perhaps with a value.
std::string suggestion(const std::string& typed, const std::vector<std::string>& known,
                       std::string_view prefix = "") {
  const std::size_t begin = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string name = closest_name(typed.substr(begin, typed.find('=') - begin), known);
  return name.empty() ? "" : fmt::format(" (did you mean {}{}?)", prefix, name);
}

/// What to give is in the description, before anything that qualifies it.
std::string missing_option(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  std::string what = option == nullptr ? "" : option->get_description();
  what.resize(std::min(what.size(), what.find(';')));
  if (what.empty()) return fmt::format("{}: missing", name);
  what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));
  return fmt::format("{}: missing; give {}", name, what);
}

/// Says what is wrong with the command line, on one line, with a suggestion if a name was probably
/// misspelled.
std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back(name);
  std::vector<std::string> commands;
  for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(sub->get_name());
  const std::vector<std::string> unread = command->remaining();
  std::string message = error.what();
  const std::string option = message.substr(0, message.find(':'));
  if (!unread.empty() && unread.front().starts_with('-'))
    return fmt::format("{}: no such option{}", unread.front(), suggestion(unread.front(), options, "--"));
  if (!unread.empty() && !commands.empty())
    return fmt::format("'{}' is not a command; there are {}{}", unread.front(), fmt::join(commands, ", "),
                       suggestion(unread.front(), commands));
  if (!unread.empty()) return fmt::format("'{}': one argument too many", unread.front());
  if (!commands.empty()) return fmt::format("a command is missing; there are {}", fmt::join(commands, ", "));
  if (error.get_name() == "RequiredError")
    return missing_option(*command, message.substr(0, message.find(" is required")));
  if (message.ends_with("missing")) return fmt::format("{}: its value is missing", option);
  if (message.find("At Most") != std::string::npos) return fmt::format("{}: may be given only once", option);
  return message;
}

/// Answers requests by scripts and the build, rather than people; empty if the arguments are a command.
std::optional<Result<void>> answer_machine(const CLI::App& app, std::span<const std::string> arguments) {
  if (arguments.size() > 1 && arguments[0] == kCompleteRequest)
    return print(to_lines(complete(app, arguments.subspan(1))));
  if (arguments.size() == 2 && arguments[0] == kManPagesRequest) return write_man_pages(app, arguments[1]);
  return std::nullopt;
}

int run(int argc, char** argv) {
  CLI::App app;
  const std::vector<NamedAction> commands = build_program(app);
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const auto answer = answer_machine(app, arguments)) return *answer ? 0 : kFailed;

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
    if (result.error().code == Errc::closed_pipe) end_by_closed_pipe();
    claim_last_line();
    say(result.error().code == Errc::interrupted ? interruption_line(error_line(result.error()))
                                                 : error_line(result.error()));
    return result.error().code == Errc::invalid_argument ? kWrongCommandLine : kFailed;
  }
  return kWrongCommandLine;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  prepare_last_words();
  try {
    catch_interrupts(argc, argv);
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    say_out_of_memory();
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kFailed;
}
