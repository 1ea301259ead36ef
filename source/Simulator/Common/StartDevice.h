//===-- StartDevice.h - starting wavelane-gpu -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H
#define WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <optional>
#include <string>

namespace wavelane::simulator {

/// A variable of this process's environment; nullopt if it isn't set.
std::optional<std::string> environmentVariable(const char *Name);

/// Gives the memory file \p File its size. It is sparse, but limits count it.
/// \return false with \a Error set.
bool sizeMemoryFile(int File, uint64_t Size, std::string &Error);

/// Starts the device of this process, which doesn't become its child.
/// \param Option The kind of memory file: "--arena" or "--driver".
/// \param MemoryFd The memory file; the caller keeps it.
/// \param Processor The GPUs, if the environment doesn't name any.
/// \param Socket Set to the program's end of the socket, which the caller
///     owns.
/// \param Device Set to the device's first answer.
/// \return false with \a Error set.
bool startDevice(const char *Option, int MemoryFd, const char *Processor,
                 int &Socket, HelloReply &Device, std::string &Error);

/// Starts a device that simulates a core file, for this process's debugger. The
/// environment's checks are its own.
/// \param Socket Set to the debugger's end of its socket, which the caller
///     owns.
/// \return false with \a Error set.
bool startCoreDevice(int &Socket, std::string &Error);

/// How long a runtime waits at startup for its debugger, in milliseconds: for
/// the one that has launched its program, which requests it by
/// HSA_ENABLE_DEBUG=1, or one that has attached already.
uint32_t debuggerPatience();

/// Whether a debugger has this process.
bool isTraced();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H
