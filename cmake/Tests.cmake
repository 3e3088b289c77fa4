# pale_test(NAME SOURCES … LIBRARIES … LABELS …): one GoogleTest program, one ctest entry for each of its test suites' cases.
find_package(GTest REQUIRED)
include(GoogleTest)

function(pale_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE ${PALE_FEWER_CHECKS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock_main)
  pale_compile_in_units(${name})
  # It takes longer to read than most of the tests.
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h>)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
endfunction()
