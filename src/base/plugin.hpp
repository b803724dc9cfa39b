// Parts of Sotto that are loaded on first use, because the libraries behind them are large, may be missing,
// or cannot share a link map with others.
#pragma once

#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::base {

struct Plugin {
  const char* file;     ///< "libsotto_….so"
  const char* purpose;  ///< "language models", for messages
  const char* remedy;   ///< what to install, for messages
};

/// Loads the plugin with its symbols hidden from everything else and returns its function of that name; the
/// plugin stays loaded until the program exits. It is searched for in the folder named by $SOTTO_PLUGINS,
/// which must be absolute; without that variable, next to the library, in sotto/ next to it, and in
/// ../lib/sotto/. Thread-safe.
Result<void*> load_plugin_function(const Plugin& plugin, const char* function);

}  // namespace sotto::base
