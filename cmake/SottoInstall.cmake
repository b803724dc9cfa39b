# Library, headers, program, models, and a CMake package for find_package(sotto).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(TARGETS sotto EXPORT sotto LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto/models FILES_MATCHING
  PATTERN "*.safetensors" PATTERN "*.json" PATTERN "*.txt" PATTERN "*.md" PATTERN "recipe" EXCLUDE)
install(EXPORT sotto NAMESPACE sotto:: FILE sotto-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/sotto-config.cmake.in ${PROJECT_BINARY_DIR}/sotto-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sotto-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sotto-config.cmake ${PROJECT_BINARY_DIR}/sotto-config-version.cmake
  DESTINATION ${package_dir})
if(SOTTO_BUILD_CLI)
  install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
