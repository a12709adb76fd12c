# Everything comes from Debian's packages; scripts/install-deps names them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
include(FedvsProtos)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)

if(FEDVS_FUZZ)  # what is fuzzed does without the rest
  return()
endif()
# After Protobuf in module mode: gRPC's config would look for one of its own.
find_package(gRPC CONFIG REQUIRED)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)

# libtorch's config adds compile flags and a kineto warning of its own; keep both out of our output.
set(CMAKE_MESSAGE_LOG_LEVEL_SAVED ${CMAKE_MESSAGE_LOG_LEVEL})
find_package(Torch REQUIRED QUIET)
if(FEDVS_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  add_library(fedvs_rapidcheck INTERFACE)
  target_link_libraries(fedvs_rapidcheck INTERFACE ${RAPIDCHECK_LIBRARY})
  # FLINT is a test oracle only; it has no CMake config.
  add_library(fedvs_flint INTERFACE)
  target_link_libraries(fedvs_flint INTERFACE flint gmp)
endif()
