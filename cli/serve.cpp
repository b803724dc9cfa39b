// sotto serve
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <sotto/error_text.hpp>

#include "command.hpp"
#include "config/config_reader.hpp"
#include "config/settings.hpp"
#include "http/run_server.hpp"
#include "last_words.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kServeFooter =
    R"(Serves until SIGTERM or Ctrl-C, then answers what it has taken; a second signal ends it at once. SIGHUP makes it
read keys and certificates again. A setting of the configuration file such as limits.body is also taken from the
environment, as SOTTO_SERVE_LIMITS_BODY; the command line takes precedence over the environment, and that over the file.

Each request gives one line of JSON on standard error: never a text, a subject, a key or a query.

Examples:
  sotto serve
  sotto serve --listen 127.0.0.1:9000 --config serve.yaml
  sotto serve key web --keys-file keys.yaml --secret-file secret
  sotto serve --listen 0.0.0.0:8443 --tls-certificate chain.pem --tls-key key.pem --keys-file keys.yaml --secret-file secret
  sotto serve --listen unix:/run/sotto/sotto.sock --metrics-listen 127.0.0.1:9090

A configuration file, for example:
  listen: [127.0.0.1:8080, unix:/run/sotto/sotto.sock]
  limits: {body: 8M, requests_per_key: 100}
  profiles:
    support:
      mechanism: tem
      epsilon: 12
      key_file: secret.key
      ledger: {file: spent.ledger, limit: 500}
      repeat: refuse)";

struct ServeArguments {
  std::vector<std::string> listen;
  std::string config, metrics_listen, certificate, tls_key, keys_file, secret_file, threads;
  bool behind_proxy = false;
  bool no_playground = false;
  bool quiet = false;
};

void add_address_options(CLI::App& command, ServeArguments& a) {
  add_many(command, "--listen", a.listen,
           "Where to listen, may be repeated: ADDRESS:PORT or unix:PATH (default: 127.0.0.1:8080). Other "
           "machines are served only under TLS, and with keys",
           "A")
      ->group("Network");
  command.add_option("--metrics-listen", a.metrics_listen, "Where to serve /metrics, without a key")
      ->type_name("A")
      ->group("Network");
  command
      .add_flag("--behind-proxy", a.behind_proxy,
                "Something in front ends TLS, so plain connections may come from other machines")
      ->group("Network");
  command.add_option("--tls-certificate", a.certificate, "Certificate chain, PEM")
      ->type_name("FILE")
      ->group("Network");
  command.add_option("--tls-key", a.tls_key, "Its private key, PEM")->type_name("FILE")->group("Network");
}

void add_serve_options(CLI::App& command, ServeArguments& a) {
  add_address_options(command, a);
  command.add_option("--config", a.config, "Profiles and limits, YAML")->type_name("FILE.yaml");
  command.add_option("--keys-file", a.keys_file, "API keys, made by 'sotto serve key'")
      ->type_name("FILE")
      ->group("API keys");
  command.add_option("--secret-file", a.secret_file, "The secret under which the keys are stored")
      ->type_name("FILE")
      ->group("API keys");
  command.add_option("--threads", a.threads, "Threads (default: one per processor)")->type_name("N");
  command.add_flag("--no-playground", a.no_playground, "Serve no pages");
  command.add_flag("--quiet", a.quiet, "No line per request");
}

/// The settings on the command line, by their names.
std::vector<std::pair<const char*, std::string>> given_settings(const ServeArguments& a) {
  std::vector<std::pair<const char*, std::string>> given = {
      {"listen", fmt::format("{}", fmt::join(a.listen, ","))},
      {"metrics_listen", a.metrics_listen},
      {"behind_proxy", a.behind_proxy ? "true" : ""},
      {"tls.certificate", a.certificate},
      {"tls.key", a.tls_key},
      {"keys_file", a.keys_file},
      {"secret_file", a.secret_file},
      {"playground", a.no_playground ? "false" : ""},
      {"threads", a.threads},
  };
  std::erase_if(given, [](const auto& setting) { return setting.second.empty(); });
  return given;
}

/// Errors of the server name settings, which are no options.
tl::unexpected<Error> in_words(const Error& error) {
  return fail(error.code, describe(error));
}

std::map<std::string, const char*> environment_variables() {
  std::map<std::string, const char*> variables;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (const char* const equals = std::strchr(*entry, '='))
      variables.emplace(std::string(*entry, static_cast<std::size_t>(equals - *entry)), equals + 1);
  return variables;
}

Result<server::ServerConfig> server_config(const ServeArguments& a) {
  server::ServerConfig config = server::default_config();
  if (!a.config.empty()) {
    SOTTO_ASSIGN(config, server::read_server_config(a.config));
  }
  const std::map<std::string, const char*> variables = environment_variables();
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  SOTTO_TRY(server::check_variables(names));
  SOTTO_TRY(server::apply_environment(config, [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second;
  }));
  for (const auto& [name, value] : given_settings(a)) SOTTO_TRY(server::set(config, name, value));
  config.log_requests = !a.quiet;
  return config;
}

void say_start(const server::ServerConfig& config, const std::vector<std::string>& addresses) {
  say(fmt::format("serving on {}", fmt::join(addresses, ", ")));
  if (!config.keys_file) say("warning: without API keys, every program on this machine may use all profiles");
  for (const server::Profile& profile : config.profiles)
    if (profile.ledger && profile.repeat == server::Repeat::same)
      say(
          fmt::format("warning: profile {} answers a repeated document in the same way, so whoever may send "
                      "guesses under its id learns which is right; repeat: refuse prevents it",
                      profile.name));
}

void write_log(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, lines.data(), lines.size());
    if (put <= 0) return;
    lines.remove_prefix(static_cast<std::size_t>(put));
  }
}

Result<void> serve(const ServeArguments& a) {
  const auto config = server_config(a);
  if (!config) return in_words(config.error());
  server::ServerCallbacks callbacks;
  callbacks.started = [&](const std::vector<std::string>& addresses) { say_start(*config, addresses); };
  callbacks.log = write_log;
  callbacks.abandon = [] { ::_exit(kFailed); };
  const auto served = server::run(*config, callbacks);
  if (!served) return in_words(served.error());
  return {};
}

}  // namespace

std::vector<NamedAction> add_serve(CLI::App& app) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand("serve", "Serve privatization over HTTP, with a page to try it");
  add_serve_options(*command, *arguments);
  command->require_subcommand(0, 1);
  command->footer(kServeFooter);
  NamedAction key = add_serve_key(*command);  // first: its command line is one of this command, too
  return {std::move(key), {command, [arguments] { return serve(*arguments); }}};
}

}  // namespace sotto::cli
