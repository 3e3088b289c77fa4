# pale_embed_page(TARGET): Studio's page, as it was built into PALE_STUDIO_DIST (scripts/build-page), and the description of its
# API as part of the program: files beside it could be lost. Without a page the program is built all the same, and says so.
set(PALE_STUDIO_DIST ${CMAKE_SOURCE_DIR}/build/studio/dist CACHE PATH "Where Studio's page was built")

function(pale_embed_page target)
  # It names all others, whose names change with what is in them.
  file(GLOB index CONFIGURE_DEPENDS ${PALE_STUDIO_DIST}/index.html)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/studio_page/page_files.cc)
  set(document ${CMAKE_SOURCE_DIR}/docs/api/openapi.json)
  add_custom_command(OUTPUT ${generated} DEPENDS ${CMAKE_SOURCE_DIR}/scripts/embed-files ${document} ${index}
                     COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/scripts/embed-files ${generated} ${document} ${PALE_STUDIO_DIST}
                     VERBATIM)
  target_sources(${target} PRIVATE ${generated})
  set_source_files_properties(${generated} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
