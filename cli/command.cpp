#include "command.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "message_line.hpp"
#include "shown_bar.hpp"

namespace sotto::cli {

CLI::Option* add_many(CLI::App& command, const char* name, std::vector<std::string>& values, const char* help,
                      const char* type) {
  return command.add_option(name, values, help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void MechanismChoice::add_options(CLI::App& command) {
  command.add_option("-m,--mechanism", mechanism, "Mechanism (see 'sotto mechanisms')")
      ->capture_default_str()
      ->type_name("NAME");
  command
      .add_option("-e,--epsilon", epsilon,
                  "Privacy parameter per token, 1e-9 to 1e6; smaller is more private")
      ->type_name("E");
  add_many(command, "--set", settings, "Set a parameter of the mechanism; may be given several times",
           "KEY=VALUE");
  command.add_option("--model", model, "Model by name or path (default: the mechanism's)")
      ->type_name("NAME|PATH");
}

Result<double> MechanismChoice::parsed_epsilon() const {
  if (epsilon.empty())
    return fail(Errc::invalid_argument, "--epsilon: missing; give a number from 1e-9 to 1e6");
  return parse_epsilon("--epsilon", epsilon);
}

Result<ParameterValues> MechanismChoice::parsed_settings() const {
  ParameterValues values;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Errc::invalid_argument, fmt::format("--set: '{}' is not allowed; give KEY=VALUE", setting));
    if (!values.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
      return fail(Errc::invalid_argument,
                  fmt::format("--set: '{}' is given twice", setting.substr(0, equals)));
  }
  return values;
}

Result<MechanismSpec> MechanismChoice::parsed() const {
  MechanismSpec spec{.name = mechanism, .model = model};
  SOTTO_ASSIGN(spec.epsilon, parsed_epsilon());
  SOTTO_ASSIGN(spec.parameters, parsed_settings());
  return spec;
}

void ResourceOptions::add_options(CLI::App& command, const char* threads_help) {
  const auto add = option_adder(command);
  add("--threads", threads, threads_help, "N");
  add("--memory", memory, "Memory for tables and caches", "SIZE");
}

Result<MechanismResources> ResourceOptions::parsed() const {
  MechanismResources resources;
  SOTTO_ASSIGN(resources.threads, parse_threads(threads));
  SOTTO_ASSIGN(resources.memory, parse_size("--memory", memory));
  return resources;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_metadata(
    const std::vector<std::string>& entries) {
  std::vector<std::pair<std::string, std::string>> metadata;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Errc::invalid_argument,
                  fmt::format("--metadata: '{}' is not allowed; give KEY=VALUE", entry));
    metadata.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return metadata;
}

void add_encoding_option(CLI::App& command, std::string& encoding) {
  command
      .add_option(
          "--encoding", encoding,
          "Encoding of the input: utf-8, utf-16 (with a byte order mark), utf-16le, utf-16be, latin-1, "
          "windows-1252 or another that iconv knows (default: utf-8)")
      ->type_name("NAME");
}

void add_metadata_option(CLI::App& command, std::vector<std::string>& entries) {
  add_many(command, "--metadata", entries, "Store a note, for example licence=PDDL", "KEY=VALUE");
}

Result<unsigned> parse_threads(std::string_view text) {
  if (text.empty()) return 0;
  SOTTO_ASSIGN(const std::uint64_t threads, parse_integer("--threads", text, 1, kMostThreads));
  return static_cast<unsigned>(threads);
}

Result<std::optional<std::uint64_t>> parse_seed(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return parse_integer("--seed", text, 0, std::numeric_limits<std::uint64_t>::max());
}

Result<void> print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno != EINTR)
      return fail(errno == EPIPE ? Errc::closed_pipe : Errc::io,
                  fmt::format("cannot write standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
  return {};
}

void say(std::string_view message) {
  fmt::print(stderr, "{}{}", bar_is_shown ? kEraseLine : "", message_line(message));
}

void occupy_standard_streams() {
  // Opened in the wrong direction, so that reading input and writing output still fail.
  static constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", kModes[stream]);
}

void end_by_closed_pipe() {
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);  // whoever started the program may have blocked it
}

}  // namespace sotto::cli
