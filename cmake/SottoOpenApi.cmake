# sotto_openapi(TARGET DOCUMENT SCHEMAS…): adds to a target the source of openapi_document(), which returns the document
# with these schemas of docs/schemas/ among its components. Run as a script (cmake -P) it writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(sotto_openapi_script ${CMAKE_CURRENT_LIST_FILE})

  function(sotto_openapi target document)
    set(folder ${PROJECT_SOURCE_DIR}/docs/schemas)
    list(TRANSFORM ARGN REPLACE "(.+)" "${folder}/\\1.schema.json" OUTPUT_VARIABLE schemas)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/openapi_document.cpp)
    list(JOIN ARGN "|" names)
    add_custom_command(OUTPUT ${source} DEPENDS ${document} ${schemas} ${sotto_openapi_script} VERBATIM
      COMMENT "Embedding ${document}"
      COMMAND ${CMAKE_COMMAND} -D DOCUMENT=${document} -D FOLDER=${folder} -D "NAMES=${names}" -D OUTPUT=${source}
        -P ${sotto_openapi_script})
    target_sources(${target} PRIVATE ${source})
  endfunction()
  return()
endif()

file(READ ${DOCUMENT} json)
string(REPLACE "|" ";" NAMES "${NAMES}")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.schema.json schema)
  # References inside a schema, and to the other ones, are to components now.
  string(REPLACE "\"#/" "\"#/components/schemas/${name}/" schema "${schema}")
  string(REGEX REPLACE "\"([a-z_]+)\\.schema\\.json\"" "\"#/components/schemas/\\1\"" schema "${schema}")
  string(JSON json SET "${json}" components schemas ${name} "${schema}")
endforeach()
file(WRITE ${OUTPUT}.json "${json}\n")
file(READ ${OUTPUT}.json hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "// Made by SottoOpenApi.cmake.
#include <string_view>

namespace sotto::server {
namespace {

const unsigned char kDocument[] = {${bytes}0};

}  // namespace

std::string_view openapi_document() {
  return {reinterpret_cast<const char*>(kDocument), sizeof kDocument - 1};
}

}  // namespace sotto::server
")
