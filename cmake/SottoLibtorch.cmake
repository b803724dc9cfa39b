# libtorch, for the plugin that runs language models. Its own CMake package requires everything it was built with
# (CUDA's compiler, for example), so headers and libraries are searched for directly: the plugin needs nothing else.
set(SOTTO_LIBTORCH AUTO CACHE STRING "Build the language-model plugin: AUTO (if libtorch is found), ON or OFF")
set(SOTTO_LIBTORCH_ROOT "" CACHE PATH "Where libtorch is, if not where the system has its libraries")
set(SOTTO_HAVE_LIBTORCH OFF)
if(SOTTO_LIBTORCH)
  find_path(SOTTO_TORCH_INCLUDE ATen/ATen.h HINTS ${SOTTO_LIBTORCH_ROOT} PATH_SUFFIXES include)
  foreach(library torch_cpu c10 torch_cuda c10_cuda)
    find_library(SOTTO_LIB_${library} ${library} HINTS ${SOTTO_LIBTORCH_ROOT} PATH_SUFFIXES lib)
  endforeach()
  if(SOTTO_TORCH_INCLUDE AND SOTTO_LIB_torch_cpu AND SOTTO_LIB_c10)
    set(SOTTO_HAVE_LIBTORCH ON)
    add_library(sotto_libtorch INTERFACE)
    target_include_directories(sotto_libtorch SYSTEM INTERFACE ${SOTTO_TORCH_INCLUDE})
    # libtorch 2 bundles headers of a newer fmt, which are found before the system's and do not match its library.
    target_compile_definitions(sotto_libtorch INTERFACE FMT_HEADER_ONLY)
    # Nothing references the CUDA libraries by symbol: they register themselves when loaded.
    target_link_libraries(sotto_libtorch INTERFACE -Wl,--push-state,--no-as-needed ${SOTTO_LIB_torch_cpu} ${SOTTO_LIB_c10}
      $<$<BOOL:${SOTTO_LIB_torch_cuda}>:${SOTTO_LIB_torch_cuda}> $<$<BOOL:${SOTTO_LIB_c10_cuda}>:${SOTTO_LIB_c10_cuda}>
      -Wl,--pop-state)
  elseif(NOT SOTTO_LIBTORCH STREQUAL "AUTO")
    message(FATAL_ERROR "SOTTO_LIBTORCH is ${SOTTO_LIBTORCH}, but libtorch was not found; install libtorch-dev, or set "
      "SOTTO_LIBTORCH_ROOT to the folder that holds its include and lib")
  endif()
endif()
