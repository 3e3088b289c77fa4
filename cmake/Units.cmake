# pale_compile_in_units(TARGET): several of its sources as one text; scripts/units.py says which go together. What a source has for
# itself may change with every edit, so that is asked again.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(pale_compile_in_units target)
  if(NOT PALE_UNITS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}")
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/scripts/units.py ${sources}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_VARIABLE numbers OUTPUT_STRIP_TRAILING_WHITESPACE)
  foreach(source number IN ZIP_LISTS sources numbers)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  # A source that is included is no header: what it has for itself is nobody else's.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/scripts/units.py)
endfunction()
