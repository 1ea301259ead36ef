# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What differs between the kinds of packages. CPack reads it once for each.
list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
if(CPACK_GENERATOR STREQUAL "DEB")
  # Debian's packages are the libraries; CPack puts symbols into wavelane-dbgsym.
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  set(CPACK_INSTALL_CMAKE_PROJECTS "${build};Wavelane;ALL;/;${build};Wavelane;bundle;/")
  set(CPACK_STRIP_FILES ON)
endif()
