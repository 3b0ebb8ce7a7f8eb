# sidegrade_module(NAME [MODULE...] [PRIVATE LIBRARY...])
# One static library for src/NAME, linking exactly the modules it may include and,
# privately, the outside libraries of which it is the sole user.
function(sidegrade_module name)
  cmake_parse_arguments(arg "" "" "PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(sidegrade_${name} STATIC ${sources})
  target_include_directories(sidegrade_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND sidegrade_ OUTPUT_VARIABLE modules)
  target_link_libraries(sidegrade_${name}
    PUBLIC ${modules} fmt::fmt Threads::Threads
    PRIVATE sidegrade_options ${arg_PRIVATE})
endfunction()
