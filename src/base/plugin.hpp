// Parts of Sotto that are loaded when they are first needed, because the libraries behind them are large, may
// be absent, or cannot live in one link map with others.
#pragma once

#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto {

struct Plugin {
  const char* file;     ///< "libsotto_….so"
  const char* purpose;  ///< "language models", for messages
  const char* remedy;   ///< what to install, for messages
};

/// Loads the plugin, with symbols that nobody else sees, and gives the function of that name in it; it stays
/// loaded as long as the program runs. The plugin is looked for in the folder that $SOTTO_PLUGINS names,
/// which must be absolute, or else beside the library, in sotto/ beside it, and in ../lib/sotto/.
/// Thread-safe.
Result<void*> load_plugin_function(const Plugin& plugin, const char* function);

}  // namespace sotto
