# Makes bugs harder to exploit, and loads libraries only from where they were installed. tests/e2e/test_binaries.py
# checks all of it in the files that were built and installed.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# Function pointers are read-only before main() begins, and no stack is executable.
target_link_options(sotto_compile INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack,--enable-new-dtags)
foreach(flag -fstack-protector-strong -fcf-protection)  # the latter is for x86 only
  string(MAKE_C_IDENTIFIER "SOTTO_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(sotto_compile INTERFACE ${flag})
  endif()
endforeach()
# Sanitizers check more than these functions do and do not know them; without optimization the functions only warn.
if(NOT SOTTO_SANITIZE)
  target_compile_options(sotto_compile INTERFACE $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()

# When CMake rewrites a program's library path during installation, it ends the previous path with a colon, and the
# empty element after it means the current folder. So the build tree has the layout of an installation, and nothing is
# rewritten.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
