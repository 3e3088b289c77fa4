# The release program starts in the time of its exec: no dynamic linker, no locale, no CPU survey of glibc's start-up.
# It is compiled as usual and linked with musl's start-up code and memory and string functions, and nothing else of a C
# library: everything that reaches the kernel is in src/sys. scripts/check-symbols holds the program to that.
find_file(PALE_MUSL_CRT1 crt1.o PATHS /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-musl NO_DEFAULT_PATH REQUIRED)
get_filename_component(PALE_MUSL ${PALE_MUSL_CRT1} DIRECTORY)

# Small code: at start-up every page of it is a fault, and no loop here runs long.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")

# _FORTIFY_SOURCE and extern templates would call into glibc and libstdc++'s locale code.
add_compile_options(-U_FORTIFY_SOURCE -D_GLIBCXX_EXTERN_TEMPLATE=0 -fno-pie -ffunction-sections -fdata-sections
                    -fno-asynchronous-unwind-tables -fno-threadsafe-statics)

# What runs at a start lies side by side: scripts/order-start.
set(PALE_START ${CMAKE_SOURCE_DIR}/cmake/start.ld)

# Behind everything else on the line, so that the modules find them.
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--start-group -lgcc ${PALE_MUSL}/libc.a -Wl,--end-group ${PALE_MUSL}/crtn.o")

function(pale_link_statically program)
  target_sources(${program} PRIVATE ${CMAKE_SOURCE_DIR}/apps/pale/runtime.cc)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/apps/pale/runtime.cc TARGET_DIRECTORY ${program}
                              PROPERTIES COMPILE_OPTIONS "-fno-exceptions;-fno-rtti")
  target_link_options(${program} PRIVATE -static -no-pie -nostdlib -Wl,--gc-sections -Wl,--build-id=none
                      -Wl,-z,noseparate-code -Wl,-T,${PALE_START} ${PALE_MUSL}/crt1.o ${PALE_MUSL}/crti.o)
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${PALE_START})
endfunction()
