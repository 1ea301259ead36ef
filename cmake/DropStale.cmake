# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What apt replaces is older than what was built with its last version, so ninja wouldn't build that again. Each change of
# dpkg's list configures the build again, and utils/drop-stale removes what was built with other versions.
if(EXISTS /var/lib/dpkg/status)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS /var/lib/dpkg/status)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../utils/drop-stale ${CMAKE_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
endif()
