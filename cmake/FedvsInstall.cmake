# `cmake --install` puts the libraries, their headers and a CMake package where another project's
# find_package(fedvs) finds them; examples/ shows such a project.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(FEDVS_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fedvs)

function(fedvs_install_library name)
  install(TARGETS fedvs_${name} EXPORT fedvsTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
          FILES_MATCHING PATTERN "*.h")
endfunction()

install(EXPORT fedvsTargets NAMESPACE fedvs:: DESTINATION ${FEDVS_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/fedvsConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/fedvsConfig.cmake
                              INSTALL_DESTINATION ${FEDVS_PACKAGE_DIR})
# Before 1.0, a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fedvsConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fedvsConfig.cmake ${PROJECT_BINARY_DIR}/fedvsConfigVersion.cmake
        DESTINATION ${FEDVS_PACKAGE_DIR})
