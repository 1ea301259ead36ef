//===-- ManualFacts.cpp - what the manual says beside the help ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ManualFacts.h"

#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ServerEnd.h"
#include "wavelane/Protocol/Server/UserVariables.h"

using namespace llvm;

namespace wavelane::command {

ArrayRef<Entry> environmentVariables() {
  static const std::vector<Entry> All = [] {
    std::vector<Entry> Entries;
    for (const protocol::Variable &Own : protocol::getVariables())
      Entries.push_back({Own.Name, Own.Meaning});
    Entries.insert(
        Entries.end(),
        {{"HIP_VISIBLE_DEVICES", "which GPUs a HIP program sees, as with ROCm"},
         {"ROCR_VISIBLE_DEVICES", "which GPUs a program sees, as with ROCm"},
         {"ROCM_PATH", "the folder of ROCm, instead of /opt/rocm"},
         {"LLDB_DEBUGSERVER_PATH",
          "the server that LLDB starts; another one than Wavelane's knows no "
          "waves"},
         {"BROWSER", "the program that shows the pages"},
         {"TMPDIR", "where temporary files are made"}});
    return Entries;
  }();
  return All;
}

static const std::vector<StringRef> Running = {"WAVELANE_PROCESSOR",
                                               "WAVELANE_CUS",
                                               "WAVELANE_RUNTIME",
                                               "WAVELANE_TRANSLATE",
                                               "WAVELANE_THREADS",
                                               simulator::MemoryLimitVariable,
                                               "WAVELANE_SCHEDULE",
                                               "WAVELANE_RECORD",
                                               "WAVELANE_RECORD_LIMIT",
                                               "WAVELANE_HIP_COMPILER",
                                               "WAVELANE_DUMP_DEVICE_MEMORY",
                                               "WAVELANE_LATE_FAULTS",
                                               "WAVELANE_LOG",
                                               "WAVELANE_RUNTIME_DIR",
                                               "HIP_VISIBLE_DEVICES",
                                               "ROCR_VISIBLE_DEVICES",
                                               "ROCM_PATH",
                                               "TMPDIR"};

static const std::vector<Entry> RunExit = {
    {"the program's", "if it has ended by itself"},
    {"128 + S", "signal S has ended the program"},
    {"N", "with --error-exitcode N, if there are findings"},
    {"2", "the command line is wrong"},
    {"126, 127", "the program can't be started, or isn't found; or a file "
                 "can't be written"}};

static const std::vector<Entry> RunFiles = {
    {"$XDG_RUNTIME_DIR/wavelane", "the simulated GPU's sockets, while it runs"},
    {"/opt/rocm", "AMD's runtime, if ROCM_PATH names no other folder"}};

static const std::vector<Entry> DebugFiles = {
    {"~/.lldbinit", "commands that LLDB executes at its start"},
    {"PREFIX/lib/wavelane", "LLDB, its server and plugins, and the simulated "
                            "GPU"}};

ArrayRef<ManualFacts> manualFacts() {
  static const ManualFacts All[] = {
      {"wavelane",
       {{"wavelane tutorial ~/wavelane-tutorial",
         "copies five programs, and lists their lessons"},
        {"wavelane debug ./saxpy", "debugs a program"},
        {"wavelane check ./saxpy", "looks for bugs in its kernels"}},
       {{"0", "success"},
        {"1", "the command failed; standard error says why"},
        {"2", "the command line is wrong"},
        {"126, 127", "a program of the installation can't be started"}},
       {"ROCM_PATH", "TMPDIR"},
       {{"PREFIX/lib/wavelane", "the programs, beside other LLDBs"},
        {"PREFIX/share/doc/wavelane", "the pages; 'wavelane help --web' shows "
                                      "them"}}},
      {"wavelane-run",
       {{"wavelane run ./saxpy", "runs a program on the simulated GPU"},
        {"wavelane run --device gfx90a,gfx1100 ./saxpy", "with two GPUs"},
        {"wavelane run --explain ./saxpy",
         "says which runtime it would use, and why"},
        {"wavelane run --record saxpy.rec ./saxpy",
         "keeps the run: wavelane debug -c saxpy.rec"}},
       RunExit,
       Running,
       RunFiles},
      {"wavelane-debug",
       {{"wavelane debug ./saxpy", "starts a session"},
        {"wavelane debug -- ./saxpy --size 5", "with the program's options"},
        {"wavelane debug -p 4711", "attaches to a process"},
        {"wavelane debug -c core.4711", "opens a core"},
        {"wavelane debug --batch -o run -k 'thread lane info' ./saxpy",
         "runs commands, and -k's after a fault"}},
       {{"0", "the session has ended, or all commands of --batch succeeded"},
        {"1", "a command of --batch failed, or there is no such program"},
        {"2", "the command line is wrong"},
        {"N", "of the command 'quit N'"},
        {"126, 127", "LLDB can't be started; standard error says what is "
                     "missing"}},
       {"WAVELANE_RUNTIME_DIR", "LLDB_DEBUGSERVER_PATH", "TMPDIR"},
       DebugFiles},
      {"wavelane-check",
       {{"wavelane check ./saxpy", "all checks"},
        {"wavelane check --check race --kernel saxpy ./saxpy",
         "one check of one kernel"},
        {"wavelane check --error-exitcode 3 --sarif found.sarif ./tests",
         "for continuous integration"}},
       RunExit,
       Running,
       RunFiles},
      {"wavelane-count",
       {{"wavelane count ./saxpy", "what each source line costs"},
        {"wavelane count --html counts.html ./saxpy", "as a page"}},
       RunExit,
       Running,
       RunFiles},
      {"wavelane-dwarf",
       {{"wavelane dwarf disassemble '91 2c'", "prints DW_OP_fbreg 44"},
        {"wavelane dwarf assemble 'DW_OP_lit3; DW_OP_lit4; DW_OP_plus'",
         "prints 333422"}},
       {{"0", "success"},
        {"1", "an error, or the expression isn't valid; standard error says "
              "why"},
        {"2", "the command line is wrong"}},
       {},
       {}},
      {"wavelane-compile",
       {{"wavelane compile saxpy.hip", "for the GPU at hand, with debug "
                                       "information, without optimization"},
        {"wavelane compile saxpy.hip -O2 -o fast", "with clang's options"},
        {"wavelane compile --gpu gfx1030 --dry-run saxpy.hip",
         "only prints the compiler's command"}},
       {{"the compiler's", "if it was started"},
        {"1", "there is no compiler, or no such file; standard error says what "
              "to do"},
        {"2", "the command line is wrong"}},
       {"ROCM_PATH"},
       {{"/opt/rocm, /usr", "where compilers and device libraries are "
                            "looked for"}}},
      {"wavelane-doctor",
       {{"wavelane doctor", "looks at the machine"},
        {"wavelane doctor --json", "the same for programs"}},
       {{"0", "a session can be started"},
        {"1", "it can't; each error has a line of advice"},
        {"2", "the command line is wrong"}},
       {"LLDB_DEBUGSERVER_PATH", "ROCM_PATH", "TMPDIR"},
       {{"/dev/kfd, /dev/dri", "AMD's GPUs"},
        {"/proc/sys/kernel/yama/ptrace_scope", "who may attach"}}},
      {"wavelane-report",
       {{"wavelane report -o hang.html --break saxpy.hip:13 ./saxpy",
         "where a program stops"},
        {"wavelane report core.*", "about all ranks of a job"}},
       {{"0", "the page is written"},
        {"1", "it isn't; standard error says why"},
        {"2", "the command line is wrong"}},
       {"TMPDIR"},
       {{"wavelane.html", "the page, if -o names no other"}}},
      {"wavelane-tutorial",
       {{"wavelane tutorial ~/wavelane-tutorial",
         "copies the programs, and lists the lessons"},
        {"wavelane tutorial ~/wavelane-tutorial 1",
         "walks through the first lesson"},
        {"wavelane tutorial ~/wavelane-tutorial sum < /dev/null",
         "prints a lesson without waiting for Enter"}},
       {{"0", "success"},
        {"1", "the folder can't be written, or there is no such lesson"},
        {"2", "the command line is wrong"}},
       {"WAVELANE_RUNTIME_DIR", "TMPDIR"},
       {{"PREFIX/lib/wavelane/share/tutorial", "what is copied"}}},
      {"wavelane-why-not",
       {{"wavelane why-not saxpy.hip:14 ./saxpy",
         "says that line 14 has no code, and which lines around it have"}},
       {{"0", "the answer is printed"},
        {"1", "there is no such program"},
        {"2", "the command line is wrong"}},
       {"TMPDIR"},
       {}},
      {"wavelane-help",
       {{"wavelane help run", "describes a command"},
        {"wavelane help --web", "opens the pages and the reference"},
        {"source <(wavelane help --completion bash)",
         "completion in this shell"}},
       {{"0", "success"},
        {"1", "a file can't be written, or the pages aren't there"},
        {"2", "the command line is wrong, or there is no such command"}},
       {"BROWSER"},
       {{"PREFIX/share/doc/wavelane/html", "the pages"}}},
      {"wavelane-rank",
       {{"mpirun -n 8 wavelane-rank ./app",
         "in the environment that 'job listen' prints"},
        {"wavelane-rank --ranks-of 4711", "prints the ranks of a launcher"}},
       {{"the program's", "it becomes the program"},
        {"1", "the debugger can't be reached"},
        {"2", "the command line is wrong, or no debugger waits for it"},
        {"126, 127", "the program can't be started, or isn't found"}},
       {"WAVELANE_JOB", "WAVELANE_JOB_SECRET", server::packets::DeviceVariable,
        "WAVELANE_RUNTIME", "WAVELANE_PROCESSOR", "WAVELANE_RANK_LOG",
        "WAVELANE_RUNTIME_DIR"},
       {}},
      {"wavelane-annotate-lanes",
       {{"wavelane-annotate-lanes clang -O3 -mavx2 -g -c loop.c -o loop.o",
         "compiles with lanes"},
        {"wavelane-annotate-lanes --json loop.s -o lanes.s",
         "annotates assembly, and reports each loop as JSON"}},
       {{"the compiler's", "if it was started"},
        {"1", "a file can't be read or written"},
        {"2", "the command line can't be used; standard error says why"},
        {"127", "there is no python3"}},
       {},
       {}},
      {"wavelane-lldb",
       {{"wavelane-lldb ./saxpy", "as wavelane debug ./saxpy"}},
       {{"0", "the session has ended, or all commands of --batch succeeded"},
        {"1", "a command of --batch failed"},
        {"N", "of the command 'quit N'"},
        {"126, 127", "LLDB can't be started; standard error says what is "
                     "missing"}},
       {"WAVELANE_RUNTIME_DIR", "LLDB_DEBUGSERVER_PATH", "TMPDIR"},
       DebugFiles},
      {"wavelane-lldb-dap",
       {{"command -v wavelane-lldb-dap", "the path that an editor needs"},
        {"wavelane-lldb-dap --connection listen://localhost:4711",
         "one adapter for several sessions, as a job needs"}},
       {{"0", "the session has ended"},
        {"1", "the connection can't be made"},
        {"126, 127", "it can't be started; standard error says what is "
                     "missing"}},
       {"WAVELANE_ADAPTER_ENDS_WITH_INPUT", "WAVELANE_RUNTIME_DIR",
        "LLDB_DEBUGSERVER_PATH", "TMPDIR"},
       DebugFiles},
      {"wavelane-lldb-server",
       {{"wavelane-lldb-server platform --server --listen CLIENT:4000 "
         "--gdbserver-port 4010",
         "for 'platform connect'"},
        {"wavelane-lldb-server gdbserver CLIENT:4000 -- ./saxpy",
         "for 'gdb-remote'"}},
       {{"0", "the client has gone"},
        {"1", "an option is wrong, or the program can't be started"},
        {"255", "it can't listen"},
        {"75", "it has taken more memory than it may"},
        {"126, 127", "it can't be started; standard error says what is "
                     "missing"}},
       {server::packets::DeviceVariable, server::packets::LibraryVariable,
        server::packets::PortVariable, server::MemoryLimitVariable,
        "WAVELANE_RUNTIME_DIR"},
       {{"$XDG_RUNTIME_DIR/wavelane", "sockets, while it runs"}}},
      {"wavelane-lldb-mcp",
       {{"wavelane-lldb-mcp", "what an MCP client has as its server's "
                              "command"}},
       {{"0", "the client has gone"},
        {"1", "the session that serves MCP can't be reached"},
        {"2", "it was given an argument"},
        {"126, 127", "it can't be started; standard error says what is "
                     "missing"}},
       {},
       {}},
  };
  return All;
}

ArrayRef<Program> otherPrograms() {
  static const Program All[] = {
      {"wavelane-rank", "starts a rank of a job under a debugger",
       "PROGRAM [ARGUMENT...]", "", "bin/wavelane-rank", "--help"},
      {"wavelane-annotate-lanes",
       "compiles a program so that the lanes of its vectorized loops can be "
       "seen",
       "[--json] COMPILER ARGUMENT...", "", "share/annotate-lanes", "--help"},
      {"wavelane-lldb", "LLDB with waves and lanes",
       "[LLDB'S OPTION...] [PROGRAM [ARGUMENT...]]",
       "LLDB, as 'wavelane debug' starts it. --help describes its options; in "
       "a session, 'help thread lane' and 'help gpu' begin with what Wavelane "
       "adds.",
       "", ""},
      {"wavelane-lldb-dap", "the debug adapter for editors",
       "[LLDB-DAP'S OPTION...]",
       "LLDB's adapter of the Debug Adapter Protocol, with host and GPU in one "
       "session. --help describes its options. Beside LLDB's keys, launch.json "
       "may have: job, the launcher of the program and its options; "
       "lanesAsThreads, which lists the lanes of the selected wave as threads; "
       "waveLimit, how many waves are listed (256). The requests "
       "wavelaneCommand and wavelaneSelect are for an editor's own views. The "
       "page ide.md describes all of them.",
       "", ""},
      {"wavelane-lldb-server", "the server for programs on another machine",
       "platform|gdbserver [LLDB-SERVER'S OPTION...]",
       "LLDB's server with the GPU side in it. 'wavelane-lldb-server gdbserver "
       "--help' and 'platform --help' describe the options. A client connects "
       "twice: for the host's threads, and for the GPU when the program first "
       "uses it; WAVELANE_GPU_PORT gives the second connection's port. Only "
       "the address behind --listen may connect, and on this machine only its "
       "user and root.",
       "", ""},
      {"wavelane-lldb-mcp", "connects MCP clients with a session", "",
       "LLDB's server of the Model Context Protocol: it finds the session that "
       "'protocol-server start MCP listen://localhost:0' has opened, or starts "
       "one.",
       "", ""},
  };
  return All;
}

} // namespace wavelane::command
