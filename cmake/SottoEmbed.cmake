# sotto_embed(TARGET FOLDER): a static library that holds the files of a folder, as playground/embedded_files.hpp
# declares them. Run as a script (cmake -P) with FOLDER, NAMES and OUTPUT, it writes the source of that library.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(sotto_embed_script ${CMAKE_CURRENT_LIST_FILE})

  function(sotto_embed target folder)
    # What a test or a tool needs beside the page is not part of it.
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.html ${folder}/*.css ${folder}/*.js ${folder}/*.svg)
    list(SORT files)
    list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE inputs)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    list(JOIN files "|" names)
    add_custom_command(OUTPUT ${source} DEPENDS ${inputs} ${sotto_embed_script} VERBATIM COMMENT "Embedding ${folder}"
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D "NAMES=${names}" -D OUTPUT=${source} -P ${sotto_embed_script})
    add_library(${target} STATIC ${source})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
string(REPLACE "|" ";" NAMES "${NAMES}")
set(arrays "")
set(entries "")
set(index 0)
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name} hex HEX)
  file(SHA256 ${FOLDER}/${name} digest)
  file(SIZE ${FOLDER}/${name} size)
  string(SUBSTRING ${digest} 0 32 digest)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  get_filename_component(extension ${name} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  string(APPEND arrays "const unsigned char kFile${index}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", \"${type_${extension}}\", \"\\\"${digest}\\\"\", text(kFile${index}, ${size})},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by SottoEmbed.cmake.
#include <array>
#include <cstddef>

#include \"playground/embedded_files.hpp\"

namespace sotto::server {
namespace {

${arrays}
std::string_view text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::span<const EmbeddedFile> embedded_files() {
  static const std::array<EmbeddedFile, ${index}> files = {{
${entries}  }};
  return files;
}

}  // namespace sotto::server
")
