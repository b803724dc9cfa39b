# What makes a bug harder to use, and libraries that come from where they were put and from nowhere else.
# tests/e2e/test_binaries.py reads all of it back from the files that were built and installed.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# Pointers to functions are read-only before main() begins, and no stack runs code.
target_link_options(sotto_compile INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack,--enable-new-dtags)
foreach(flag -fstack-protector-strong -fcf-protection)  # the latter is x86's
  string(MAKE_C_IDENTIFIER "SOTTO_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(sotto_compile INTERFACE ${flag})
  endif()
endforeach()
# Sanitizers check more than these functions do and do not know them; without optimization they do nothing but warn.
if(NOT SOTTO_SANITIZE)
  target_compile_options(sotto_compile INTERFACE $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()

# Where CMake is to change a program's library path while installing, it ends the one before with a colon, and the empty
# element after it is the current folder. So the build tree has the layout of an installation, and nothing is changed.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
