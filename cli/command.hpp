// Code common to the subcommands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <sotto/sotto.hpp>

#include "validate.hpp"

namespace sotto::cli {

/// What a subcommand does once its options have been parsed.
using Action = std::function<Result<void>()>;

/// Each of these adds a subcommand to `app` and returns its action.
Action add_privatize(CLI::App& app);
Action add_mechanisms(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_choose(CLI::App& app);
Action add_budget(CLI::App& app);
Action add_audit(CLI::App& app);
Action add_attack(CLI::App& app);
Action add_tune(CLI::App& app);
Action add_bench(CLI::App& app);
Action add_evaluate(CLI::App& app);
struct NamedAction {
  CLI::App* command;
  Action action;
};
std::vector<NamedAction> add_model(CLI::App& app);
std::vector<NamedAction> add_lists(CLI::App& app);
std::vector<NamedAction> add_train(CLI::App& app);
/// One of the commands of add_model.
NamedAction add_neighbours(CLI::App& group);
std::vector<NamedAction> add_ledger(CLI::App& app);
std::vector<NamedAction> add_receipt(CLI::App& app);
std::vector<NamedAction> add_collocations(CLI::App& app);
std::vector<NamedAction> add_lm(CLI::App& app);
std::vector<NamedAction> add_serve(CLI::App& app);
/// One of the commands of add_serve.
NamedAction add_serve_key(CLI::App& serve);

/// Adds an option that may be repeated and takes one value each time, so that the argument after it is not
/// taken for another value. Returns it.
CLI::Option* add_many(CLI::App& command, const char* name, std::vector<std::string>& values, const char* help,
                      const char* type);

/// Adds options with one value each whose help shows the default: add(name, value, help, type).
inline auto option_adder(CLI::App& command) {
  return [&command](const char* name, std::string& value, const char* help, const char* type) {
    command.add_option(name, value, help)->capture_default_str()->type_name(type);
  };
}

/// The options that select a mechanism, common to several subcommands.
struct MechanismChoice {
  std::string mechanism = "diffractor-geometric";
  std::string epsilon;
  std::vector<std::string> settings;  // key=value
  std::string model;

  void add_options(CLI::App& command);
  Result<double> parsed_epsilon() const;
  Result<ParameterValues> parsed_settings() const;
  /// All of it, with the default resources.
  Result<MechanismSpec> parsed() const;
};

/// --threads and --memory: the resources of a mechanism.
struct ResourceOptions {
  std::string threads;
  std::string memory = "512M";

  void add_options(CLI::App& command, const char* threads_help = "Threads (default: one per processor)");
  Result<MechanismResources> parsed() const;
};

/// Adds --encoding, that of the input.
void add_encoding_option(CLI::App& command, std::string& encoding);

/// The values of --metadata.
Result<std::vector<std::pair<std::string, std::string>>> parse_metadata(
    const std::vector<std::string>& entries);
/// Adds --metadata, which is stored as given.
void add_metadata_option(CLI::App& command, std::vector<std::string>& entries);

/// The value of --threads; 0, one per processor, if not given.
Result<unsigned> parse_threads(std::string_view text);

/// The value of --seed; empty if not given.
Result<std::optional<std::uint64_t>> parse_seed(std::string_view text);

/// Writes to standard output and reports a closed pipe or a full disk.
Result<void> print(std::string_view text);

/// Prints a message, "sotto: ...", on standard error.
void say(std::string_view message);

/// Opens standard streams that the caller closed, so that no file takes their descriptors and receives
/// messages.
void occupy_standard_streams();

/// Ends the program as a closed pipe ends other programs: by SIGPIPE, without a message.
void end_by_closed_pipe();

}  // namespace sotto::cli
