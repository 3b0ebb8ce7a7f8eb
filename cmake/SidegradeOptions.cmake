# Warnings and sanitizers as one INTERFACE target that every library links.
add_library(sidegrade_options INTERFACE)
target_compile_features(sidegrade_options INTERFACE cxx_std_20)
target_compile_options(sidegrade_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion
  # Designated initialisers leave out what keeps its default: that is their use.
  -Wno-missing-field-initializers
  # Clang counts it to -Wconversion, GCC doesn't.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)
if(SIDEGRADE_WERROR)
  target_compile_options(sidegrade_options INTERFACE -Werror)
endif()
if(SIDEGRADE_SANITIZE)
  # GCC 12 sees uninitialised members in std::regex once sanitizers are on.
  target_compile_options(sidegrade_options INTERFACE
    -fsanitize=${SIDEGRADE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(sidegrade_options INTERFACE -fsanitize=${SIDEGRADE_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
