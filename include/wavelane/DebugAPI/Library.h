//===-- Library.h - A ROCdbgapi library opened at run time ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a library with ROCdbgapi's C interface (amd-dbgapi.h): AMD's own
// librocm-dbgapi.so.0, or libwavelane-dbgapi.so for the simulated device.
// Opening checks the library's version first, because signatures have changed
// under an unchanged SONAME, and then resolves every function.
//
// A library may be called from one thread only; see amd-dbgapi.h.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGAPI_LIBRARY_H
#define WAVELANE_DEBUGAPI_LIBRARY_H

#include "wavelane/Protocol/Library/Extensions.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

/// Every function whose signature is the same in all versions that Wavelane
/// accepts, by its name without `amd_dbgapi_`. The signatures of
/// address_dependency and convert_address_space have changed: Library has
/// methods for them.
#define WAVELANE_DBGAPI_FUNCTIONS(X)                                           \
  X(get_status_string)                                                         \
  X(get_version)                                                               \
  X(get_build_name)                                                            \
  X(initialize)                                                                \
  X(finalize)                                                                  \
  X(set_log_level)                                                             \
  X(architecture_get_info)                                                     \
  X(get_architecture)                                                          \
  X(disassemble_instruction)                                                   \
  X(classify_instruction)                                                      \
  X(process_get_info)                                                          \
  X(process_attach)                                                            \
  X(process_detach)                                                            \
  X(process_set_progress)                                                      \
  X(process_set_wave_creation)                                                 \
  X(process_freeze)                                                            \
  X(process_unfreeze)                                                          \
  X(code_object_get_info)                                                      \
  X(process_code_object_list)                                                  \
  X(agent_get_info)                                                            \
  X(process_agent_list)                                                        \
  X(queue_get_info)                                                            \
  X(process_queue_list)                                                        \
  X(queue_packet_list)                                                         \
  X(dispatch_get_info)                                                         \
  X(process_dispatch_list)                                                     \
  X(workgroup_get_info)                                                        \
  X(process_workgroup_list)                                                    \
  X(wave_get_info)                                                             \
  X(process_wave_list)                                                         \
  X(wave_stop)                                                                 \
  X(wave_resume)                                                               \
  X(displaced_stepping_get_info)                                               \
  X(displaced_stepping_start)                                                  \
  X(displaced_stepping_complete)                                               \
  X(watchpoint_get_info)                                                       \
  X(set_watchpoint)                                                            \
  X(remove_watchpoint)                                                         \
  X(set_memory_precision)                                                      \
  X(architecture_register_class_get_info)                                      \
  X(architecture_register_class_list)                                          \
  X(register_get_info)                                                         \
  X(wave_register_exists)                                                      \
  X(architecture_register_list)                                                \
  X(wave_register_list)                                                        \
  X(dwarf_register_to_register)                                                \
  X(register_is_in_register_class)                                             \
  X(read_register)                                                             \
  X(write_register)                                                            \
  X(prefetch_register)                                                         \
  X(address_class_get_info)                                                    \
  X(architecture_address_class_list)                                           \
  X(dwarf_address_class_to_address_class)                                      \
  X(address_space_get_info)                                                    \
  X(architecture_address_space_list)                                           \
  X(dwarf_address_space_to_address_space)                                      \
  X(address_is_in_address_class)                                               \
  X(read_memory)                                                               \
  X(write_memory)                                                              \
  X(process_next_pending_event)                                                \
  X(event_get_info)                                                            \
  X(event_processed)                                                           \
  X(breakpoint_get_info)                                                       \
  X(report_breakpoint_hit)

namespace wavelane::debugapi {

struct Version {
  uint32_t Major = 0, Minor = 0, Patch = 0;
  /// "0.77.0".
  std::string str() const;
};

/// The functions of an open library. None is null, except
/// set_alu_exceptions_precision in libraries before 0.77, and the extensions.
struct Functions {
// NOLINTBEGIN(readability-identifier-naming): the functions' names.
#define WAVELANE_DBGAPI_MEMBER(name)                                           \
  decltype(&::amd_dbgapi_##name) name = nullptr;
  WAVELANE_DBGAPI_FUNCTIONS(WAVELANE_DBGAPI_MEMBER)
#undef WAVELANE_DBGAPI_MEMBER
  decltype(&::amd_dbgapi_set_alu_exceptions_precision)
      set_alu_exceptions_precision = nullptr;
  /// In Wavelane's own library only, see Extensions.h.
  decltype(&::wavelane_dbgapi_stop_lanes) stop_lanes = nullptr;
  decltype(&::wavelane_dbgapi_stop_address) stop_address = nullptr;
  decltype(&::wavelane_dbgapi_stop_pc) stop_pc = nullptr;
  decltype(&::wavelane_dbgapi_stop_finding) stop_finding = nullptr;
  decltype(&::wavelane_dbgapi_set_local_range_exceptions)
      set_local_range_exceptions = nullptr;
  decltype(&::wavelane_dbgapi_watch_address) watch_address = nullptr;
  decltype(&::wavelane_dbgapi_dispatch_started) dispatch_started = nullptr;
  decltype(&::wavelane_dbgapi_ask_checks) ask_checks = nullptr;
  decltype(&::wavelane_dbgapi_ask_history) ask_history = nullptr;
  decltype(&::wavelane_dbgapi_simulate_core) simulate_core = nullptr;
  // NOLINTEND(readability-identifier-naming)
};

/// Which GPUs a user wants to debug.
enum class Device {
  Auto,      ///< Hardware if it and its library are present, else simulated.
  Simulated, ///< Wavelane's own library.
  Hardware,  ///< AMD's library.
};

class Library {
public:
  /// Opens the library at \p path or, without a slash, of that SONAME.
  /// \return An error that names the path and the reason: no such file, not a
  ///     ROCdbgapi library, a missing function, or a version that can't be
  ///     used.
  static llvm::Expected<std::shared_ptr<Library>> open(llvm::StringRef Path);

  /// Opens libwavelane-dbgapi.so: $WAVELANE_DBGAPI if set, else the one in the
  /// folder of the running binary or library, or in ../lib of it.
  static llvm::Expected<std::shared_ptr<Library>> openEmbedded();

  /// Opens AMD's library: by SONAME, else under $ROCM_PATH/lib, /opt/rocm/lib
  /// and the newest /opt/rocm-*/lib.
  static llvm::Expected<std::shared_ptr<Library>> openAMD();

  /// Opens the library for \p device.
  static llvm::Expected<std::shared_ptr<Library>> openFor(Device TheDevice);

  /// The oldest and newest supported minor versions (of 0.x).
  static constexpr uint32_t OldestMinor = 76, NewestMinor = 82;
  /// Success, or an error that says why \p version can't be used.
  static llvm::Error checkVersion(const Version &TheVersion);

  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  /// Closes the library; call amd_dbgapi_finalize first. The file stays loaded.
  ~Library();

  const Functions *operator->() const { return &Api; }
  const Functions &api() const { return Api; }
  const Version &version() const { return LibraryVersion; }
  /// The path of the file that was opened.
  const std::string &path() const { return LibraryPath; }
  /// Whether this is Wavelane's own library.
  bool isEmbedded() const { return IsEmbedded; }

  /// Calls convert_address_space with the signature that this version has.
  /// \p process is used from 0.81 on.
  amd_dbgapi_status_t convertAddressSpace(
      amd_dbgapi_process_id_t Process, amd_dbgapi_wave_id_t Wave,
      amd_dbgapi_lane_id_t Lane, amd_dbgapi_address_space_id_t From,
      amd_dbgapi_segment_address_t Address, amd_dbgapi_address_space_id_t To,
      amd_dbgapi_segment_address_t *Result,
      amd_dbgapi_size_t *ContiguousBytes) const;

  /// Calls address_dependency with the signature that this version has.
  /// \p process and \p wave are used from 0.79 on.
  amd_dbgapi_status_t
  addressDependency(amd_dbgapi_process_id_t Process, amd_dbgapi_wave_id_t Wave,
                    amd_dbgapi_address_space_id_t Space,
                    amd_dbgapi_segment_address_t Address,
                    amd_dbgapi_segment_address_dependency_t *Dependency) const;

  /// The status in the library's words, with its number.
  std::string describe(amd_dbgapi_status_t Status) const;
  /// Success for SUCCESS, else an error "<what>: <status in words>".
  llvm::Error check(amd_dbgapi_status_t Status, llvm::StringRef What) const;

private:
  Library() = default;

  void *Handle = nullptr;
  Functions Api;
  void *ConvertFunction = nullptr;
  void *DependencyFunction = nullptr;
  Version LibraryVersion;
  std::string LibraryPath;
  bool IsEmbedded = false;
};

} // namespace wavelane::debugapi

#endif // WAVELANE_DEBUGAPI_LIBRARY_H
