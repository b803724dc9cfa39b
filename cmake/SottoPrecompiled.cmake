# The headers that most files include, compiled once for the library, once for the program and once for the tests.
# Sources still include what they use: the dev preset builds without this.
option(SOTTO_PRECOMPILED_HEADERS "Precompile the headers that most files include" ON)
set(SOTTO_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <vector> <fmt/format.h>
  <fmt/ranges.h> <tl/expected.hpp>)

# Not for files that are compiled for several instruction sets, nor for those with options of their own: with precompiled
# headers, weights.cpp and noise_kernel.cpp gave sums as if -ffp-contract=off had not been given (GCC 12).
function(sotto_skip_precompiled)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The first target of a kind compiles the headers, the others use what it made. Kinds differ in code position
# (libraries, programs) and in what is added to the common headers.
function(sotto_precompile target kind)
  if(NOT SOTTO_PRECOMPILED_HEADERS)
    return()
  endif()
  get_property(first GLOBAL PROPERTY SOTTO_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${SOTTO_COMMON_HEADERS} ${ARGN})
    set_property(GLOBAL PROPERTY SOTTO_PRECOMPILED_${kind} ${target})
  endif()
  # The first lets ccache see through the precompiled file. The others: GCC 12 warns of moved strings in libstdc++ itself,
  # which it does not do where it reads those headers as system headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow>)
endfunction()
