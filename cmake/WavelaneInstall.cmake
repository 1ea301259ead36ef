# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` and CPack put where. bin/ has links only; everything else is in a folder of its own,
# lib/wavelane, laid out as the build folder, so that it can be installed next to other LLDBs. All paths in it are
# relative: the folder can be moved. docs/decisions/33-packages.md says why.
include(GNUInstallDirs)
set(own lib/wavelane)

install(TARGETS wavelane-command wavelane-rank wavelane-run wavelane-dwarf wavelane-gpu lldb-server lldb-dap
  RUNTIME DESTINATION ${own}/bin)
install(TARGETS wavelane wavelane-dbgapi wavelane-driver wavelane-kfd LIBRARY DESTINATION ${own}/lib NAMELINK_SKIP)
install(TARGETS amdhip64 LIBRARY DESTINATION ${own}/lib/wavelane)
# In the build folder, too: CMake would fill up another path with an empty folder, so that it can be replaced; that means the current one.
set_target_properties(wavelane-command wavelane-rank wavelane-run wavelane-dwarf wavelane-gpu lldb-server lldb-dap wavelane wavelane-dbgapi
  PROPERTIES INSTALL_RPATH "$ORIGIN/../lib" INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)

# LLDB.
install(PROGRAMS ${lldb_build}/bin/lldb ${lldb_build}/bin/lldb-argdumper ${lldb_build}/bin/lldb-mcp DESTINATION ${own}/bin)
file(REAL_PATH ${lldb_build}/lib/liblldb.so liblldb)
get_filename_component(liblldb_name ${liblldb} NAME)
string(REGEX REPLACE "[.][0-9]+$" "" liblldb_soname ${liblldb_name})
install(PROGRAMS ${liblldb} DESTINATION ${own}/lib)
# Headers that expressions include.
install(DIRECTORY ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include DESTINATION ${own}/lib/clang)
file(GLOB lldb_package RELATIVE ${lldb_build}
  ${lldb_build}/lib/python3*/*-packages/lldb ${lldb_build}/local/lib/python3*/*-packages/lldb)
get_filename_component(packages ${lldb_package} DIRECTORY)
install(DIRECTORY ${lldb_build}/${lldb_package} DESTINATION ${own}/${packages}
  PATTERN __pycache__ EXCLUDE PATTERN lldb-argdumper EXCLUDE PATTERN "_lldb.*" EXCLUDE)
configure_file(python/pyproject.toml.in ${CMAKE_BINARY_DIR}/python/pyproject.toml @ONLY)
install(DIRECTORY python/wavelane DESTINATION ${own}/${packages} PATTERN __pycache__ EXCLUDE)
install(FILES docs/commands.schema.json DESTINATION ${own}/${packages}/wavelane)
# Python knows the package's version from it, as that of a wheel.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/python/METADATA CONTENT "Metadata-Version: 2.1\nName: wavelane\nVersion: @PROJECT_VERSION@\n" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/python/METADATA DESTINATION ${own}/${packages}/wavelane-${PROJECT_VERSION}.dist-info)
file(GLOB lldb_module RELATIVE ${lldb_build}/${lldb_package}/native ${lldb_build}/${lldb_package}/native/_lldb.*)

# The lanes of vectorized loops.
install(PROGRAMS utils/annotate-lanes DESTINATION ${own}/share)
install(DIRECTORY tools/wavelane/include DESTINATION ${own}/share)
install(DIRECTORY utils/annotate_lanes DESTINATION ${own}/share PATTERN __pycache__ EXCLUDE)

# The tutorial's programs and lessons.
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/tutorial DESTINATION ${own}/share PATTERN __pycache__ EXCLUDE)

# Pages of help. wavelane writes the manual and the completions from its own help.
set(generated ${CMAKE_BINARY_DIR}/share)
install(DIRECTORY ${generated}/man1 DESTINATION share/man)
install(FILES ${generated}/wavelane.bash DESTINATION share/bash-completion/completions RENAME wavelane)
install(FILES ${generated}/_wavelane DESTINATION share/zsh/vendor-completions)
install(FILES ${generated}/wavelane.fish DESTINATION share/fish/vendor_completions.d)
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION share/doc/wavelane)
install(FILES LICENSE DESTINATION share/doc/wavelane RENAME copyright)
install(DIRECTORY docs DESTINATION share/doc/wavelane FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "*.schema.json")
install(FILES test/programs/hip/saxpy.hip test/programs/hip/check.h DESTINATION share/doc/wavelane/examples)
# The same pages with the reference, for 'wavelane help --web'.
install(DIRECTORY ${CMAKE_BINARY_DIR}/site/ DESTINATION share/doc/wavelane/html OPTIONAL)

# The Python that LLDB is linked with: utils/build-lldb takes it.
set(python3 /usr/bin/python3)
execute_process(COMMAND ${python3} -c "import sysconfig; print(sysconfig.get_path('stdlib'), end='')"
  OUTPUT_VARIABLE python_library COMMAND_ERROR_IS_FATAL ANY)
configure_file(cmake/InstallLinks.cmake.in ${CMAKE_BINARY_DIR}/InstallLinks.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/InstallLinks.cmake)
# What the tarball has besides: the libraries that another Linux lacks. Not part of a plain installation.
configure_file(cmake/InstallBundle.cmake.in ${CMAKE_BINARY_DIR}/InstallBundle.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/InstallBundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME wavelane)
set(CPACK_PACKAGE_VENDOR Wavelane)
set(CPACK_PACKAGE_CONTACT "Wavelane's developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "LLDB for GPU waves and their lanes, with a simulated GPU")
set(CPACK_PACKAGE_DESCRIPTION "Wavelane is an LLDB plugin for GPU waves and their lanes: each wave is a thread, any of its lanes
can be selected, and every variable shows that lane's value. No GPU is needed: a simulated one
runs a HIP program's real GPU code. This package has an LLDB of its own, in /usr/lib/wavelane,
beside any other.")
set(CPACK_PACKAGE_FILE_NAME wavelane-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_THREADS 0)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/PackageOptions.cmake)
set(CPACK_DEBIAN_FILE_NAME wavelane_${PROJECT_VERSION}_amd64.deb)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib ${CMAKE_BINARY_DIR}/lib/wavelane)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-19, clang-tools-19, lld-19, libamdhip64-dev, rocm-device-libs")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
include(CPack)
