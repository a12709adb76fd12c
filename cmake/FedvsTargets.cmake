# fedvs_library(coding SRCS lagrange.cc DEPS fedvs::field PRIVATE_DEPS OpenSSL::Crypto)
#   one static library per folder of src/fedvs, named fedvs::<folder>; installed, unless INTERNAL
# fedvs_test(coding/lagrange_test DEPS fedvs::coding LABELS unit)
#   one binary and one CTest entry per test file, named after its path
include(FedvsInstall)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Our own code only: dependencies' headers are system headers.
add_library(fedvs_warnings INTERFACE)
target_compile_options(fedvs_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # fuzzers: what speaks to g++ alone is passed over
  target_compile_options(fedvs_warnings INTERFACE -Wno-unknown-attributes -Wno-ignored-attributes
                         -Wno-unknown-pragmas -Wno-unknown-warning-option)
endif()
# a*b+c must round twice everywhere: results may not depend on whether a machine has FMA.
target_compile_options(fedvs_warnings INTERFACE -ffp-contract=off)
if(FEDVS_SANITIZE)
  # A null pointer that is followed crashes under AddressSanitizer by itself; looking for it at every
  # access makes compiling take twice as long.
  add_compile_options(-fsanitize=${FEDVS_SANITIZE} -fno-sanitize=null -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FEDVS_SANITIZE})
endif()

# Where bytes are read as numbers, every access is checked for alignment; elsewhere that finds nothing
# and makes up a third of a sanitized build.
set(FEDVS_CHECKED_FOR_ALIGNMENT base field coding quant data model protocol wire store seal)

find_program(FEDVS_CCACHE ccache)
if(FEDVS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FEDVS_CCACHE})
endif()
find_program(FEDVS_LLD ld.lld)
if(FEDVS_LLD)
  add_link_options(-fuse-ld=lld)
endif()

function(fedvs_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(fedvs_${name} STATIC ${ARG_SRCS})
  add_library(fedvs::${name} ALIAS fedvs_${name})
  set_target_properties(fedvs_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(fedvs_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                  $<INSTALL_INTERFACE:include>)
  target_compile_features(fedvs_${name} PUBLIC cxx_std_20)
  target_link_libraries(fedvs_${name} PUBLIC ${ARG_DEPS}
                        PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:fedvs_warnings>)
  if(FEDVS_SANITIZE MATCHES "undefined" AND NOT name IN_LIST FEDVS_CHECKED_FOR_ALIGNMENT)
    target_compile_options(fedvs_${name} PRIVATE -fno-sanitize=alignment)
  endif()
  if(NOT ARG_INTERNAL)
    fedvs_install_library(${name})
  endif()
endfunction()

# What tests check is optimised; what they say about it is compiled quickly: two hundred files that
# include gmock are most of a build's time, and sanitizers double it where they meet -O1.
set(FEDVS_TEST_OPTIMISATION -O1)
if(FEDVS_SANITIZE)
  set(FEDVS_TEST_OPTIMISATION -O0 -fno-sanitize=alignment)
endif()
# Flags that libtorch and gRPC bring along: tests without them have them too, since all share a
# precompiled header. At -O1, g++ 12 takes a moved std::string for one that is read past its end.
set(FEDVS_TEST_OPTIONS ${FEDVS_TEST_OPTIMISATION} -D_GLIBCXX_USE_CXX11_ABI=1 -pthread
                       -Wno-array-bounds)

# gmock, parsed once for all tests.
function(fedvs_precompile_test_headers)
  add_executable(fedvs_test_headers ${PROJECT_SOURCE_DIR}/tests/support/headers.cc)
  target_link_libraries(fedvs_test_headers PRIVATE GTest::gmock_main fedvs_warnings)
  target_compile_options(fedvs_test_headers PRIVATE ${FEDVS_TEST_OPTIONS})
  target_precompile_headers(fedvs_test_headers PRIVATE <gmock/gmock.h>)
endfunction()

function(fedvs_test path)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;LABELS" ${ARGN})
  string(REPLACE "/" "_" target ${path})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${path}.cc ${ARG_SRCS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} GTest::gmock_main fedvs_warnings)
  target_precompile_headers(${target} REUSE_FROM fedvs_test_headers)
  target_compile_options(${target} PRIVATE ${FEDVS_TEST_OPTIONS})
  add_test(NAME ${path} COMMAND ${target})
  set_tests_properties(${path} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
endfunction()
