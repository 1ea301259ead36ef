//===-- StartDevice.h - starting wavelane-gpu -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H
#define WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H

#include "wavelane/Simulator/Protocol.h"

#include <string>

namespace wavelane::simulator {

/// Starts the device of this process, as no child of it.
/// \param Option what the memory file is: "--arena" or "--driver".
/// \param MemoryFd it; remains the caller's.
/// \param Processor the GPUs where the environment names none.
/// \param Socket set to the program's end of the socket, which the caller owns.
/// \param Device set to the device's first answer.
/// \return false with \a Error set.
bool startDevice(const char *Option, int MemoryFd, const char *Processor,
                 int &Socket, HelloReply &Device, std::string &Error);

/// How long a runtime waits at its start for the debugger that has launched its
/// program, in milliseconds. The debugger's HSA_ENABLE_DEBUG=1 asks for it.
uint32_t debuggerPatience();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_STARTDEVICE_H
