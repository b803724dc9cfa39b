// What the operating system allows of what the processor offers.
#pragma once

namespace sotto {

/// False when the processor announces AMX and using it would fault, because the system does not save its
/// registers or does not give this process leave; libraries that trust the announcement must then be told.
bool processor_allows_amx();

}  // namespace sotto
