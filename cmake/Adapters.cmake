# pale_embed_adapters(TARGET DIRECTORY): the TOML files of a directory as part of the program: a file beside it could be lost.
function(pale_embed_adapters target directory)
  file(GLOB files CONFIGURE_DEPENDS ${directory}/*.toml)
  set(entries "")
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/built_in_adapters.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
#include "project/adapter.h"

namespace pale::project {
namespace {

constexpr BuiltInAdapter kAdapters[] = {
@entries@};

}  // namespace

std::span<const BuiltInAdapter> built_in_adapters() { return kAdapters; }

}  // namespace pale::project
]])
  target_sources(${target} PRIVATE ${generated})
endfunction()
