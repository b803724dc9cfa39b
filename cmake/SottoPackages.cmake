# Debian packages, built by CPack. The preset "deb" configures for them: files under /usr, libraries in the multiarch
# folder, which the loader searches by default, so that nothing has a RUNPATH.
set(SOTTO_PACKAGE_REVISION 0sotto1 CACHE STRING "Debian revision of the packages; 0… because Debian made none")
set(SOTTO_MAINTAINER "Sotto maintainers <maintainers@sotto.invalid>" CACHE STRING "Maintainer of the packages, Name <address>")

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_IGNORE_GROUPS ON)
set(CPACK_COMPONENTS_ALL library development program language models)
set(CPACK_PACKAGE_NAME sotto)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # would be prepended to each package's own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${SOTTO_PACKAGE_REVISION})
set(CPACK_DEBIAN_PACKAGE_SOURCE sotto)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${SOTTO_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(version ${PROJECT_VERSION}-${SOTTO_PACKAGE_REVISION})
set(library_package libsotto${PROJECT_VERSION_MAJOR})  # matches its soname

set(about "Sotto rewrites text under differential privacy: each word becomes another
one, drawn with stated probabilities, so that what was written can be denied.
.
")

# component, package, section, first line of the description, its remaining lines, and further fields as NAME VALUE.
function(sotto_package component package section summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${about}${text}" PARENT_SCOPE)
  cmake_parse_arguments(PARSE_ARGV 5 ARG "" "DEPENDS;RECOMMENDS;SUGGESTS;ARCHITECTURE;SHLIBDEPS" "CONTROL_EXTRA")
  foreach(field DEPENDS RECOMMENDS SUGGESTS ARCHITECTURE SHLIBDEPS CONTROL_EXTRA)
    if(DEFINED ARG_${field})
      set(CPACK_DEBIAN_${key}_PACKAGE_${field} "${ARG_${field}}" PARENT_SCOPE)
    endif()
  endforeach()
  sotto_package_documents(${component} ${package})
endfunction()

# copyright, changelogs and the bill of materials, compressed where Debian policy requires it.
function(sotto_package_documents component package)
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian ${PROJECT_BINARY_DIR}/sotto.spdx.json DESTINATION ${folder}
    COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md RENAME changelog DESTINATION ${folder} COMPONENT ${component})
  sotto_compress(${component} ${folder}/changelog ${folder}/changelog.Debian ${folder}/sotto.spdx.json)
endfunction()

function(sotto_compress component)
  foreach(pattern ${ARGN})
    install(CODE "
      file(GLOB files \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${pattern}\")
      execute_process(COMMAND gzip -9nf \${files} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  endforeach()
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # uses SOURCE_DATE_EPOCH if set
configure_file(cmake/debian/changelog.in changelog.Debian @ONLY)
file(WRITE ${PROJECT_BINARY_DIR}/shlibs "libsotto ${PROJECT_VERSION_MAJOR} ${library_package} (= ${version})\n")
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/sotto.spdx.json COMMENT "Bill of materials"
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/make_sbom.py ${PROJECT_BINARY_DIR} -o ${PROJECT_BINARY_DIR}/sotto.spdx.json
  DEPENDS sotto_cli ${plugins} ${PROJECT_SOURCE_DIR}/tools/make_sbom.py VERBATIM)
add_custom_target(sotto_sbom ALL DEPENDS ${PROJECT_BINARY_DIR}/sotto.spdx.json)

sotto_package(library ${library_package} libs "text rewriting under differential privacy (library)"
  "This package holds the shared library."
  SHLIBDEPS ON RECOMMENDS sotto-models CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers ${PROJECT_BINARY_DIR}/shlibs)
sotto_package(development libsotto-dev libdevel "text rewriting under differential privacy (headers)"
  "This package holds the headers, and a CMake package for find_package(sotto)."
  DEPENDS "${library_package} (= ${version}), libexpected-dev")
sotto_package(program sotto text "text rewriting under differential privacy"
  "This package holds the program, its manual pages, and completion for bash,
zsh and fish."
  SHLIBDEPS ON DEPENDS "${library_package} (= ${version}), sotto-models (= ${version})" SUGGESTS "sotto-lm, wordnet-base")
sotto_package(language sotto-lm text "text rewriting under differential privacy (language models)"
  "This package holds the plugins for mechanisms with a language model (dp-mlm,
dp-mlm-plus, dp-paraphrase, dp-prompt) and for sentencepiece's tokenizers."
  SHLIBDEPS ON DEPENDS "${library_package} (= ${version})" RECOMMENDS libopenblas0-pthread)
sotto_package(models sotto-models text "text rewriting under differential privacy (English models)"
  "This package holds word vectors, word lists, phrases and small language
models for English, with their data sheets."
  ARCHITECTURE all)
sotto_compress(program ${CMAKE_INSTALL_MANDIR}/man1/*.1)
include(CPack)
