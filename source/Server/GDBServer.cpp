//===-- GDBServer.cpp - The gdbserver mode of lldb-server -----------------===//
//
// LLDB's own main function of the mode, options and all, over our server class:
// the file is compiled with the class's name replaced, since it has no other way
// to be given another.
//
//===----------------------------------------------------------------------===//

#include "CoreServer.h"
#include "Device.h"
#include "HostServer.h"
#include "LLDBServerUtilities.h"
#include "Plugins/Process/Linux/NativeProcessLinux.h"
#include "Plugins/Process/gdb-remote/ProcessGDBRemoteLog.h"

using wavelane::server::HostServer;
#define GDBRemoteCommunicationServerLLGS HostServer
#define main_gdbserver main_live
#include "lldb-gdbserver.cpp"
#undef main_gdbserver

int main_gdbserver(int argc, char *argv[]) {
  wavelane::server::StandInForDeviceFile(argv);
  if (std::optional<int> status = wavelane::server::RunCoreServer(argc, argv))
    return *status;
  return main_live(argc, argv);
}
