# pale_module(NAME USES module…): src/NAME as one library. USES is what it may include and link; scripts/check-modules
# compares the same list with the #include lines. Every x_test.cc beside the code becomes part of the test program NAME_test.
# LIBRARIES, from elsewhere, are for modules of the keeper alone (apps/keeper): the program itself links none. Their large HEADERS
# are read once, except where clang-tidy looks: it reads none of what g++ made of them.
function(pale_module name)
  cmake_parse_arguments(arg "" "" "USES;LIBRARIES;HEADERS;TEST_LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(pale_${name} STATIC ${sources})
  target_include_directories(pale_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  # The library code neither throws nor asks for types at run time; what can fail returns a Result.
  if(arg_LIBRARIES)
    target_link_libraries(pale_${name} PUBLIC ${arg_LIBRARIES})
    # Theirs do; what they throw is caught in the module. Asio's coroutines have an operator new and an operator delete of their
    # own, which g++ 12 takes for a mismatch.
    target_compile_options(pale_${name} PRIVATE -fasynchronous-unwind-tables -Wno-mismatched-new-delete ${PALE_FEWER_CHECKS})
  else()
    target_compile_options(pale_${name} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  pale_compile_in_units(pale_${name})
  if(arg_HEADERS AND PALE_PRECOMPILE)
    target_precompile_headers(pale_${name} PRIVATE ${arg_HEADERS})
  endif()
  foreach(used ${arg_USES})
    target_link_libraries(pale_${name} PUBLIC pale_${used})
  endforeach()
  if(PALE_TESTS AND tests)
    pale_test(${name}_test SOURCES ${tests} LIBRARIES pale_${name} ${arg_TEST_LIBRARIES} LABELS unit)
  endif()
endfunction()
