//===-- Library.cpp - A ROCdbgapi library opened at run time --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/DebugAPI/Library.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace wavelane::debugapi {

namespace {

constexpr const char *EmbeddedName = "libwavelane-dbgapi.so";
constexpr const char *AMDName = "librocm-dbgapi.so.0";

/// Present only in Wavelane's own library.
constexpr const char *EmbeddedMark = "wavelane_dbgapi_embedded";

std::string loadError() {
  const char *text = dlerror();
  return text ? text : "unknown loader error";
}

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

std::vector<std::string> rocmFolders() {
  std::vector<std::string> folders;
  if (const char *root = getenv("ROCM_PATH"); root && *root)
    folders.push_back((Twine(root) + "/lib").str());
  folders.push_back("/opt/rocm/lib");
  std::vector<std::string> versions;
  std::error_code error;
  for (sys::fs::directory_iterator it("/opt", error), end; it != end && !error;
       it.increment(error))
    if (sys::path::filename(it->path()).starts_with("rocm-"))
      versions.push_back(it->path() + "/lib");
  std::sort(versions.begin(), versions.end(),
            [](const std::string &a, const std::string &b) {
              return StringRef(a).compare_numeric(b) > 0;
            });
  folders.insert(folders.end(), versions.begin(), versions.end());
  return folders;
}

} // namespace

std::string Version::str() const {
  return (Twine(major) + "." + Twine(minor) + "." + Twine(patch)).str();
}

Error Library::checkVersion(const Version &version) {
  if (version.major != 0)
    return fail("version " + version.str() +
                " has another interface than the 0.x that Wavelane knows");
  if (version.minor < oldestMinor)
    return fail("version " + version.str() + " is too old: 0." +
                Twine(oldestMinor) + " or later is needed");
  if (version.minor > newestMinor)
    return fail("version " + version.str() + " is newer than 0." +
                Twine(newestMinor) +
                ", the last whose function signatures Wavelane knows");
  return Error::success();
}

Expected<std::shared_ptr<Library>> Library::open(StringRef path) {
  std::string name = path.str();
  // A damaged or foreign file is the loader's to refuse; its text names it.
  // It stays loaded: AMD's brings an LLVM whose options, registered a second
  // time at another loading, would end this program.
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle)
    return fail("cannot open the GPU debugger library '" + path +
                "': " + loadError());
  std::shared_ptr<Library> library(new Library);
  library->handle = handle;
  library->libraryPath = name;

  auto find = [&](const char *symbol) { return dlsym(handle, symbol); };
  void *getVersion = find("amd_dbgapi_get_version");
  if (!getVersion)
    return fail("'" + path +
                "' is not a ROCdbgapi library: it has no "
                "amd_dbgapi_get_version");
  Dl_info info;
  if (dladdr(getVersion, &info) && info.dli_fname)
    library->libraryPath = info.dli_fname;

  Version &version = library->libraryVersion;
  reinterpret_cast<decltype(&::amd_dbgapi_get_version)>(getVersion)(
      &version.major, &version.minor, &version.patch);
  if (Error error = checkVersion(version))
    return fail("cannot use the GPU debugger library '" + library->libraryPath +
                "': " + toString(std::move(error)));

  const char *missing = nullptr;
  Functions &functions = library->functions;
#define WAVELANE_DBGAPI_RESOLVE(name)                                          \
  functions.name =                                                             \
      reinterpret_cast<decltype(functions.name)>(find("amd_dbgapi_" #name));   \
  if (!functions.name && !missing)                                             \
    missing = "amd_dbgapi_" #name;
  WAVELANE_DBGAPI_FUNCTIONS(WAVELANE_DBGAPI_RESOLVE)
  if (version.minor >= 77) {
    WAVELANE_DBGAPI_RESOLVE(set_alu_exceptions_precision)
  }
#undef WAVELANE_DBGAPI_RESOLVE
  library->convertFunction = find("amd_dbgapi_convert_address_space");
  library->dependencyFunction = find("amd_dbgapi_address_dependency");
  if (!missing && !library->convertFunction)
    missing = "amd_dbgapi_convert_address_space";
  if (!missing && !library->dependencyFunction)
    missing = "amd_dbgapi_address_dependency";
  if (missing)
    return fail("cannot use the GPU debugger library '" + library->libraryPath +
                "' (version " + version.str() + "): it lacks " + missing);
  library->embedded = find(EmbeddedMark) != nullptr;
  functions.stop_lanes = reinterpret_cast<decltype(functions.stop_lanes)>(
      find("wavelane_dbgapi_stop_lanes"));
  functions.stop_address = reinterpret_cast<decltype(functions.stop_address)>(
      find("wavelane_dbgapi_stop_address"));
  functions.set_local_range_exceptions =
      reinterpret_cast<decltype(functions.set_local_range_exceptions)>(
          find("wavelane_dbgapi_set_local_range_exceptions"));
  functions.watch_address = reinterpret_cast<decltype(functions.watch_address)>(
      find("wavelane_dbgapi_watch_address"));
  functions.dispatch_started =
      reinterpret_cast<decltype(functions.dispatch_started)>(
          find("wavelane_dbgapi_dispatch_started"));
  return library;
}

Expected<std::shared_ptr<Library>> Library::openEmbedded() {
  if (const char *path = getenv("WAVELANE_DBGAPI"); path && *path)
    return open(path);

  // Beside the code that asks, which is in build/lib or build/bin.
  std::vector<std::string> folders;
  auto addAround = [&](StringRef file) {
    SmallString<256> real;
    if (sys::fs::real_path(file, real))
      return;
    StringRef folder = sys::path::parent_path(real);
    folders.push_back(folder.str());
    folders.push_back((folder + "/../lib").str());
    // A plugin's folder: build/lib/lldb/plugins.
    folders.push_back((folder + "/../..").str());
  };
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&Library::checkVersion), &info) &&
      info.dli_fname)
    addAround(info.dli_fname);
  addAround("/proc/self/exe");

  for (const std::string &folder : folders) {
    std::string path = folder + "/" + EmbeddedName;
    if (sys::fs::exists(path))
      return open(path);
  }
  return fail(Twine("cannot find ") + EmbeddedName + " (looked in: " +
              join(folders, ", ") + "); WAVELANE_DBGAPI can name it");
}

Expected<std::shared_ptr<Library>> Library::openAMD() {
  for (const std::string &folder : rocmFolders()) {
    std::string path = folder + "/" + AMDName;
    if (sys::fs::exists(path))
      return open(path);
  }
  Expected<std::shared_ptr<Library>> library = open(AMDName);
  if (library)
    return library;
  return fail(toString(library.takeError()) +
              " (also looked in: " + join(rocmFolders(), ", ") + ")");
}

Expected<std::shared_ptr<Library>> Library::openFor(Device device) {
  switch (device) {
  case Device::Simulated:
    return openEmbedded();
  case Device::Hardware:
    if (access("/dev/kfd", F_OK) != 0)
      return fail("no AMD GPU on this machine: there is no /dev/kfd");
    return openAMD();
  case Device::Auto:
    if (access("/dev/kfd", F_OK) == 0) {
      Expected<std::shared_ptr<Library>> library = openAMD();
      if (library)
        return library;
      consumeError(library.takeError());
    }
    return openEmbedded();
  }
  llvm_unreachable("unknown device");
}

Library::~Library() {
  if (handle)
    dlclose(handle);
}

amd_dbgapi_status_t Library::convertAddressSpace(
    amd_dbgapi_process_id_t process, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t from,
    amd_dbgapi_segment_address_t address, amd_dbgapi_address_space_id_t to,
    amd_dbgapi_segment_address_t *result,
    amd_dbgapi_size_t *contiguousBytes) const {
  if (libraryVersion.minor >= 81) {
    using Function = amd_dbgapi_status_t (*)(
        amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t, amd_dbgapi_lane_id_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t *,
        amd_dbgapi_size_t *);
    return reinterpret_cast<Function>(convertFunction)(
        process, wave, lane, from, address, to, result, contiguousBytes);
  }
  return reinterpret_cast<decltype(&::amd_dbgapi_convert_address_space)>(
      convertFunction)(wave, lane, from, address, to, result, contiguousBytes);
}

amd_dbgapi_status_t Library::addressDependency(
    amd_dbgapi_process_id_t process, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_address_space_id_t space, amd_dbgapi_segment_address_t address,
    amd_dbgapi_segment_address_dependency_t *dependency) const {
  if (libraryVersion.minor >= 79) {
    using Function = amd_dbgapi_status_t (*)(
        amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t,
        amd_dbgapi_segment_address_dependency_t *);
    return reinterpret_cast<Function>(dependencyFunction)(process, wave, space,
                                                          address, dependency);
  }
  return reinterpret_cast<decltype(&::amd_dbgapi_address_dependency)>(
      dependencyFunction)(space, address, dependency);
}

std::string Library::describe(amd_dbgapi_status_t status) const {
  const char *text = nullptr;
  if (functions.get_status_string(status, &text) != AMD_DBGAPI_STATUS_SUCCESS ||
      !text)
    text = "unknown status";
  return (Twine(text) + " (" + Twine(int(status)) + ")").str();
}

Error Library::check(amd_dbgapi_status_t status, StringRef what) const {
  if (status == AMD_DBGAPI_STATUS_SUCCESS)
    return Error::success();
  return fail(what + ": " + describe(status));
}

} // namespace wavelane::debugapi
