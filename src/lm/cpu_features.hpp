// Which processor features the operating system allows.
#pragma once

namespace sotto::lm {

/// False if the processor announces AMX but using it would fault, because the system does not save its
/// registers or denies this process permission; libraries that trust the announcement must then be told.
bool processor_allows_amx();

/// Tells the libraries behind the plugin, through environment variables, what they must not use: oneDNN no
/// AMX where it would fault, OpenBLAS no threads of its own. They read these when they are loaded, so call
/// this before.
void restrain_libraries();

}  // namespace sotto::lm
