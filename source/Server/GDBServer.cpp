//===-- GDBServer.cpp - The gdbserver mode of lldb-server -----------------===//
//
// LLDB's own main function of the mode, options and all, over our server class:
// the file is compiled with the class's name replaced, since it has no other way
// to be given another.
//
//===----------------------------------------------------------------------===//

#include "HostServer.h"
#include "LLDBServerUtilities.h"
#include "Plugins/Process/Linux/NativeProcessLinux.h"
#include "Plugins/Process/gdb-remote/ProcessGDBRemoteLog.h"

using wavelane::server::HostServer;
#define GDBRemoteCommunicationServerLLGS HostServer
#include "lldb-gdbserver.cpp"
