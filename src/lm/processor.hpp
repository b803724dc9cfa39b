// What the operating system allows of what the processor offers.
#pragma once

namespace sotto {

/// False when the processor announces AMX and using it would fault, because the system does not save its
/// registers or does not give this process leave; libraries that trust the announcement must then be told.
bool processor_allows_amx();

/// Tells the libraries behind the plugin, by their environment variables, what they must not use: oneDNN no
/// AMX where it would fault, OpenBLAS no threads of its own. They read it when they are loaded, so this comes
/// before.
void restrain_libraries();

}  // namespace sotto
