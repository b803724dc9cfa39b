# Library, headers, program, models, and a CMake package for find_package(sotto). The components are the packages of
# SottoPackages.cmake; `cmake --install` installs all of them.
include(CMakePackageConfigHelpers)
set(SOTTO_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completion")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(TARGETS sotto EXPORT sotto LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  NAMELINK_COMPONENT development)
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto/models COMPONENT models FILES_MATCHING
  PATTERN "*.safetensors" PATTERN "*.json" PATTERN "*.txt" PATTERN "*.md" PATTERN "recipe" EXCLUDE)
install(EXPORT sotto NAMESPACE sotto:: FILE sotto-targets.cmake DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/sotto-config.cmake.in ${PROJECT_BINARY_DIR}/sotto-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sotto-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sotto-config.cmake ${PROJECT_BINARY_DIR}/sotto-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)
if(SOTTO_BUILD_CLI)
  install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_MANDIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  set(completion ${PROJECT_BINARY_DIR}/completion)
  install(FILES ${completion}/sotto.bash RENAME sotto COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/sotto.zsh RENAME _sotto COMPONENT program DESTINATION ${SOTTO_ZSH_COMPLETIONS})
  install(FILES ${completion}/sotto.fish COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
