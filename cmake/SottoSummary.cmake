message(STATUS "Sotto ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, program ${SOTTO_BUILD_CLI}, tests ${SOTTO_BUILD_TESTS}, "
  "language models ${SOTTO_HAVE_LIBTORCH}, sanitizers '${SOTTO_SANITIZE}', installs into ${CMAKE_INSTALL_PREFIX}")
