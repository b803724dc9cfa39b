// sotto serve key
#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "command.hpp"
#include "config/api_keys.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kServeKeyFooter =
    R"(The key is printed once, and stored nowhere: the file holds a hash of it under the server's secret. A running server
reads the file again when it receives SIGHUP.

To change a key without a pause: add a second one under the same name with --rotate, let its users take it, and remove
the first with --retire. What was charged under the name stays charged, once.

Examples:
  sotto serve key web --keys-file keys.yaml --secret-file secret
  sotto serve key batch --profile support --ledger --keys-file keys.yaml --secret-file secret
  sotto serve key web --rotate --keys-file keys.yaml --secret-file secret)";

struct KeyArguments {
  std::string name, keys_file, secret_file;
  std::vector<std::string> profiles;
  bool ledger = false, metrics = false, rotate = false, retire = false, revoke = false;
};

void add_key_options(CLI::App& command, KeyArguments& a) {
  command.add_option("NAME", a.name, "Whose key it is, for logs and documents")->required();
  command
      .add_option("--keys-file", a.keys_file, "The file of the server's keys; created if it does not exist")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--secret-file", a.secret_file,
                  "The file of the server's secret; created if it does not exist")
      ->type_name("FILE")
      ->required();
  add_many(command, "--profile", a.profiles, "A profile that the key may use, may be repeated (default: all)",
           "NAME");
  command.add_flag("--ledger", a.ledger, "May reserve and release in the ledgers of its profiles");
  command.add_flag("--metrics", a.metrics, "May read /metrics");
  command.add_flag("--rotate", a.rotate, "Add a second key under a name that has one, with the same rights");
  command.add_flag("--retire", a.retire, "Make no key; remove all keys of this name but the newest");
  command.add_flag("--revoke", a.revoke, "Make no key; remove all keys of this name");
}

Result<void> make_or_remove_key(const KeyArguments& a) {
  if (static_cast<int>(a.rotate) + static_cast<int>(a.retire) + static_cast<int>(a.revoke) > 1)
    return fail(Errc::invalid_argument, "--rotate, --retire and --revoke exclude each other; give one");
  const server::KeyFiles files{a.keys_file, a.secret_file};
  if (a.retire || a.revoke) {
    const auto removed = server::remove_api_keys(files, a.name, a.retire);
    if (!removed) return fail(removed.error().code, describe(removed.error()));
    say(fmt::format("removed {} of {}", counted(*removed, "key"), a.name));
    return {};
  }
  server::ApiKey wanted;
  wanted.name = a.name;
  wanted.profiles = a.profiles;
  wanted.ledger = a.ledger;
  wanted.metrics = a.metrics;
  const auto key = server::add_api_key(files, std::move(wanted), a.rotate);
  if (!key) return fail(key.error().code, describe(key.error()));
  return print(*key + "\n");
}

}  // namespace

NamedAction add_serve_key(CLI::App& serve) {
  auto arguments = std::make_shared<KeyArguments>();
  CLI::App* command = serve.add_subcommand("key", "Make an API key, or remove keys");
  add_key_options(*command, *arguments);
  command->footer(kServeKeyFooter);
  return {command, [arguments] { return make_or_remove_key(*arguments); }};
}

}  // namespace sotto::cli
