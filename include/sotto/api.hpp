// Marks what the shared library exports. Everything else is hidden, so it may change in any release
// (CONTRIBUTING.md, The ABI).
#pragma once

/// On a function or member function that is defined in the library, and on a class with virtual functions:
/// its table of virtual functions and its type information are then the same in the library and in the
/// program. A class without virtual functions marks its members, because marking the class would also export
/// its private ones.
#define SOTTO_API __attribute__((visibility("default")))
