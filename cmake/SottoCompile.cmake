# Compiler settings shared by every target. No -march: vector code dispatches at run time (Highway).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(SOTTO_CCACHE ccache)
if(SOTTO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SOTTO_CCACHE})
endif()

add_library(sotto_compile INTERFACE)
target_compile_options(sotto_compile INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${SOTTO_WARNINGS_AS_ERRORS}>:-Werror>)
# Nobody replaces individual functions of the library at load time, so internal calls may be inlined and bound directly.
target_compile_options(sotto_compile INTERFACE -fno-semantic-interposition)
target_link_options(sotto_compile INTERFACE -Wl,-Bsymbolic-functions)
if(SOTTO_SANITIZE)
  target_compile_options(sotto_compile INTERFACE -fsanitize=${SOTTO_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(sotto_compile INTERFACE -fsanitize=${SOTTO_SANITIZE})
endif()
if(SOTTO_FUZZ)
  # clang 14 does not enable everything that Highway's AVX3_DL promises. The other targets are left out because fuzzing
  # is about parsers, and each target is compiled separately.
  target_compile_definitions(sotto_compile INTERFACE "HWY_DISABLED_TARGETS=(HWY_AVX3_DL|HWY_AVX3|HWY_SSSE3)")
  # Tables computed at compile time take clang more steps than it allows by default.
  target_compile_options(sotto_compile INTERFACE -fconstexpr-steps=100000000)
endif()
if(SOTTO_COVERAGE)
  target_compile_options(sotto_compile INTERFACE --coverage -O0)
  target_link_options(sotto_compile INTERFACE --coverage)
endif()
