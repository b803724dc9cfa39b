// serve.yaml and files of API keys: whatever is accepted is within its limits, and a refusal has one line.
#include "config/api_keys.hpp"
#include "config/config_reader.hpp"
#include "fuzz.hpp"

namespace {

using namespace sotto::server;
using sotto::fuzz::require;

template <class T>
bool accepted(const sotto::Result<T>& result) {
  if (!result) require(describe(result.error()).find('\n') == std::string::npos, "a refusal has one line");
  return result.has_value();
}

}  // namespace

SOTTO_FUZZ_TARGET(serve_config) {
  if (const auto config = parse_server_config(std::string(input), "serve.yaml"); accepted(config)) {
    require(!config->listen.empty() && !config->profiles.empty(), "there is something to serve");
    for (const Profile& profile : config->profiles) require(!profile.options.seed, "no noise is public");
    accepted(validate(*config));
  }
  if (const auto keys = parse_api_keys(std::string(input), "keys.yaml"); accepted(keys))
    for (const ApiKey& key : *keys)
      require(key.hash.size() == 64 && !key.profiles.empty() && !key.name.empty(), "a key is whole");
}
