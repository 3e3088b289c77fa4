# pale_module(NAME USES module…): src/NAME as one library. USES is what it may include and link; scripts/check-modules
# compares the same list with the #include lines. Every x_test.cc beside the code becomes part of the test program NAME_test.
function(pale_module name)
  cmake_parse_arguments(arg "" "" "USES;TEST_LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(pale_${name} STATIC ${sources})
  target_include_directories(pale_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  # The library code neither throws nor asks for types at run time; what can fail returns a Result.
  target_compile_options(pale_${name} PRIVATE -fno-exceptions -fno-rtti)
  foreach(used ${arg_USES})
    target_link_libraries(pale_${name} PUBLIC pale_${used})
  endforeach()
  if(PALE_TESTS AND tests)
    pale_test(${name}_test SOURCES ${tests} LIBRARIES pale_${name} ${arg_TEST_LIBRARIES} LABELS unit)
  endif()
endfunction()
