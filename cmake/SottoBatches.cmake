# Most of the compile time goes into the same headers and templates, so several sources are compiled as one. Names local
# to a file must therefore be unique within its folder. The dev preset compiles each source alone, which shows that it
# includes what it uses.
option(SOTTO_BATCHES "Compile sources in batches" ON)
set(CMAKE_UNITY_BUILD ${SOTTO_BATCHES})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
if(SOTTO_BATCHES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # In a batch no source is the main file, the only place where a class may have members of file-local types.
  add_compile_options(-Wno-subobject-linkage)
endif()

# For sources that define macros for the headers they include, that are compiled for several instruction sets, that
# tests link as a separate copy, or that every word passes through: in a batch GCC inlines less.
function(sotto_compile_alone)
  if(NOT ARGN)
    return()
  endif()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
