//===-- Packets.h - gdb-remote packets about GPUs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gdb-remote packets that Wavelane's lldb-server answers beyond those of
// LLDB's own server, with their JSON keys. Names and forms are those of
// upstream LLDB (accelerator plugins, address spaces) wherever it has them;
// ours have Wavelane in them. A packet with arguments is its name, a colon and
// a JSON object. Numbers are decimal in JSON, and hexadecimal without 0x in
// packets and suffixes. JSON is escaped like binary data ('}').
//
// There are two connections. The host connection serves the program as every
// lldb-server does. The GPU connection, announced on the host connection,
// serves a process whose threads are waves: its thread ids are the waves'
// ROCdbgapi handles, its process id is the program's.
//
// A core file is served by `lldb-server gdbserver --fd=<fd> --` with the
// arguments below: a GPU connection only, whose process is stopped forever. It
// refuses packets that would run or write. A server whose debugger library
// fails writes the reason to its reason descriptor and ends.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_PACKETS_H
#define WAVELANE_PROTOCOL_SERVER_PACKETS_H

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace wavelane::server::packets {

/// The packet \p name with \p arguments, not yet escaped.
inline std::string Make(llvm::StringRef name, llvm::json::Object arguments) {
  return llvm::formatv("{0}:{1}", name,
                       llvm::json::Value(std::move(arguments)));
}

//===-- Features in qSupported and its answers ----------------------------===//

/// The feature by which LLDB, and gdb, are known to a server:
/// both ignore features that they don't know.
inline constexpr char ClientOfLLDB[] = "xmlRegisters=";

/// Host connection: the server knows AcceleratorInitialize.
inline constexpr char AcceleratorPlugins[] = "accelerator-plugins+";
/// Both connections: an interrupt gets one stop reply at most.
inline constexpr char OneStopReply[] = "one-stop-reply+";
/// GPU connection: AddressSpacesInfo, and packets with AddressSpaceSuffix.
inline constexpr char AddressSpaces[] = "address-spaces+";
/// GPU connection: a wave that is resumed at an inserted breakpoint executes
/// the original instruction, so a client needs no step of its own.
inline constexpr char StepOver[] = "wavelane-step-over+";
/// GPU connection: "bc" and "bs", as LLDB sends them, if a recording is
/// possible.
inline constexpr char ReverseContinue[] = "ReverseContinue+";
inline constexpr char ReverseStep[] = "ReverseStep+";
/// GPU connection: ReadRanges.
inline constexpr char MultiMemRead[] = "MultiMemRead+";

//===-- Host connection ---------------------------------------------------===//

/// Arguments: protocol::ServerSettings. The server's environment counts for
/// those that are left out. Answer: OK, or a list of protocol::WrongSetting,
/// which keep their values; the others count. Sent before the program is
/// started, if the client starts it, and before AcceleratorInitialize; it
/// counts until the next one.
inline constexpr char Settings[] = "QWavelaneSettings";
namespace setting {
/// "auto", "simulated" or "hardware". Too late for a program that the server
/// has started for the other device.
inline constexpr char Device[] = "device";
/// "auto", "amd" or "wavelane": the runtime of a program that is started for
/// the simulated GPU.
inline constexpr char Runtime[] = "runtime";
/// True: no variable is added to the environment of a program that is started.
inline constexpr char LeaveEnvironment[] = "leave-environment";
/// The path of a ROCdbgapi library on the server's machine.
inline constexpr char Library[] = "library";
/// An array: "memory" and "alu" report these exceptions precisely, at their
/// instruction; "local-range" raises those of accesses beyond local memory.
inline constexpr char Exceptions[] = "exceptions";
/// The checks of a program that is started for the simulated GPU:
/// "memory,race"; "count" counts what each line costs. Sent again, it counts
/// for a program that hasn't used its GPU yet.
inline constexpr char Check[] = "check";
/// Of Check, and as often: a regular expression of kernels, "3-5,8" for
/// launches, true to find memory that is never freed, and the MiB that a check
/// may use to follow memory.
inline constexpr char CheckKernel[] = "check-kernel";
inline constexpr char CheckLaunches[] = "check-launches";
inline constexpr char CheckLeaks[] = "check-leaks";
inline constexpr char CheckShadowLimit[] = "check-shadow-limit";
/// The number of the schedule for a program that is started for the simulated
/// GPU (simulator::ScheduleVariable).
inline constexpr char Schedule[] = "schedule";
/// The MiB of memory that a simulated GPU may take, of a program that is
/// started for it (simulator::MemoryLimitVariable).
inline constexpr char MemoryLimit[] = "memory-limit";
} // namespace setting

/// Arguments: protocol::AcceleratorClient, or none. Answer: an array of
/// protocol::AcceleratorActions. Sent while the program is
/// stopped, before it has run or after an attach. From then on the server
/// watches for the program's GPU runtime; without this packet it is an ordinary
/// server. An error says why there is no GPU debugging.
///
/// Where to connect is unix-connect://<path> if the host connection is local,
/// else connect://[<address that the client reached>]:<port>. Only the client's
/// address is accepted, once; if that is this machine, only the client's user.
inline constexpr char AcceleratorInitialize[] = "jAcceleratorPluginInitialize";

/// Arguments: protocol::AcceleratorHit. Answer: protocol::AcceleratorHitAnswer.
/// Sent while the host thread is stopped at the breakpoint.
inline constexpr char AcceleratorBreakpointHit[] =
    "jAcceleratorPluginBreakpointHit";

/// Arguments: {"path"}. Answer: {"path"}, where the core of host and GPU was
/// written on the server's machine. Host and GPU must be stopped.
inline constexpr char SaveCore[] = "jWavelaneSaveCore";

/// Answer: an array of {"begin","end","offset","device","inode","file"}, the
/// parts of files that the program shares with other processes: "device" and
/// "inode" identify a file on the server's machine. "file" is its name.
inline constexpr char SharedFiles[] = "jWavelaneSharedFiles";

/// "plugin_name" of our actions.
inline constexpr char PluginName[] = "amdgpu";

//===-- Both connections --------------------------------------------------===//

/// Arguments: protocol::AcceleratorLibraryRequest. Answer:
/// protocol::AcceleratorLibraries.
inline constexpr char AcceleratorLibraryInfo[] =
    "jAcceleratorPluginGetDynamicLoaderLibraryInfo";

//===-- GPU connection ----------------------------------------------------===//
//
// qHostInfo, qProcessInfo
//     The triple is amdgcn-amd-amdhsa; "processor" is ours.
// ?
//     T00 without a thread while there is no wave; T02 after an interrupt.
// Stop replies
//     A wave's reason is "breakpoint", "trace", "watchpoint" (description
//     "<address> 0 <address>"), or "exception" with a description. Signals are
//     SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE and SIGABRT, as in ROCgdb. A
//     wave that was stopped because another one stopped has neither reason nor
//     signal. An interrupt is SIGINT on one wave. Expedited: pc and exec,
//     registers 0 and 1.
// qOffsets
//     Where the executable is loaded that a client was given, if it was.
// vCont
//     c and s for any set of waves. Waves without an action stay stopped; waves
//     that begin later run if there is an action for all. The waves that a
//     running wave waits for at a barrier run, too. A stop of one wave stops
//     all. The process keeps running when its last wave ends. When a stepped
//     wave ends, the others stop; if no wave is left, the reply is T00 without
//     a thread.
// W00
//     The program has ended. W01;description:<hex>; means that GPU debugging
//     has ended, and why; the program may continue. As any stop, it answers a
//     resume or '?', and is never sent to a client that doesn't wait.
// RegisterInfo, TargetXML
//     The registers of all waves; a wave may lack some (p answers an error). p
//     and P only, no g. On GPUs with both wave sizes, v0, exec and vcc are
//     those of waves of 32 lanes, v0_w64 and so on those of waves of 64.
// m, x, M
//     May end in AddressSpaceSuffix, LaneSuffix and ThreadSuffix, in any order:
//     ";address_space:5;lane:11;thread:2a;". Spaces are DWARF numbers. A read
//     may return fewer bytes than asked for, and never shows breakpoints. After
//     the device's end, the error has the code DeviceEnded and says what to do.
// Z2, Z3, Z4
//     May end in all suffixes of memory packets and KeySuffix, to watch local
//     or private memory of a simulated GPU. Stop replies and z packets then
//     name the watchpoint by its key.
// D, k
//     D removes every breakpoint and lets the waves run; the program stays with
//     the host connection. k kills the program.

/// Answer: [{"name","space_id","is_thread_specific"}], space_id being the DWARF
/// number; also (ours) "address_bits", "null", and "depends_on": "lane",
/// "wave", "workgroup", "agent" or "process".
inline constexpr char AddressSpacesInfo[] = "jAddressSpacesInfo";

/// Arguments: {"thread":<tid>}. Answer: an object with the keys of namespace
/// wave.
inline constexpr char WaveInfo[] = "jWavelaneWaveInfo";

/// Arguments: {"kind"}, one of namespace objects; for waves, optionally
/// {"ids"}, pairs of a first and a last one that are wanted. Answer: an array
/// of objects.
inline constexpr char Objects[] = "jWavelaneObjects";
/// From the server, to a client that folds stops, before the report of the end
/// of a program that was checked: behind it are {"type": LastFindings,
/// "findings"}, with the objects of objects::Finding. LLDB's form for data that
/// nobody has asked for.
inline constexpr char AsyncData[] = "JSON-async:";
inline constexpr char LastFindings[] = "wavelane-last-findings";
namespace objects {
// Every object of these kinds has "id".
inline constexpr char Agent[] = "agent";
inline constexpr char Queue[] = "queue";
inline constexpr char Dispatch[] = "dispatch";
/// One with a wave at its barrier has "at_barrier" and "not_arrived", the
/// numbers of its waves; one with a wave at the grid's has "at_grid_barrier".
inline constexpr char Workgroup[] = "workgroup";
inline constexpr char Wave[] = "wave"; ///< keys of namespace wave
inline constexpr char CodeObject[] = "code_object";
/// What the simulated device's checks have found, as wavelane-run --json.
inline constexpr char Finding[] = "finding";
/// The "kernel" ("" if unknown), "agent", "queue" and "dispatch" of all stopped
/// waves, with the "threads" that are of it as pairs of a first one and a
/// count.
inline constexpr char WaveKernel[] = "wave_kernel";
/// One object with all "names", each followed by a newline, in the order of its
/// "threads".
inline constexpr char WaveName[] = "wave_name";
/// For the waves whose stop is known to be about the same lanes, "threads" and
/// "lanes", their mask; 0 for several watchpoints whose lanes aren't known.
inline constexpr char Stop[] = "stop";
/// One object with the "threads" of the waves that wait at a barrier, of their
/// workgroup or the grid; none if there are none.
inline constexpr char Waiting[] = "waiting";
} // namespace objects

/// Arguments: {"address","any":[condition...]}. Answer: OK. The breakpoint at
/// that address then stops only waves in which one of the conditions holds in
/// an active lane, or can't be evaluated; others pass it unseen. An empty array
/// removes the conditions, and so does removing the breakpoint.
///
/// A condition is {"variables":[{"expression","size"}...],"frame_base",
/// "old_numbers","test","thread","once_per_dispatch"}, each of them optional;
/// without a test it holds in no particular lane. Expressions are DWARF in
/// hexadecimal, in upstream clang's sense (old_numbers: clang up to 21). "test"
/// is a tree of arrays, with types s, u or f followed by 1, 2, 4 or 8 bytes:
/// ["const",T,bits] ["var",T,index,offset] ["read",T,address]
/// ["number",T,"lane|lanes|dispatch|arguments|wave_in_group|item|group|groups|
/// group_size",dimension] ["convert",T,x] ["neg"|"~",T,x] ["!",x]
/// ["&&"|"||",x,y] ["?",T,x,y,z] and [operator of C,T,x,y] with operands of T.
inline constexpr char Conditions[] = "jWavelaneConditions";

/// Arguments: {"expression","threads":[<tid>...]}, the expression being
/// "variables", "frame_base", "old_numbers" and "test" of a condition, which
/// may have any value here; optionally {"lanes"}, a mask, or else the active
/// ones count, and {"values":true}. Answer: for each of the waves that is
/// stopped
/// {"thread","known","true"}, the masks of the lanes in which it can be
/// evaluated, and holds; and as asked "bits", 8 bytes for each of the lanes in
/// hexadecimal, the value in the lower ones.
inline constexpr char Evaluate[] = "jWavelaneEvaluate";

/// Arguments: {"on"}, optionally {"keeps_others":true}. Answer: OK. Sent while
/// the process is stopped, for the resumes after it. When non-stop mode is on,
/// a stop holds only the waves that have stopped, which are the process's
/// threads; the others run on, and so do waves that begin. A resume is one of
/// waves that are held. Waves that have stopped since the last stop are
/// reported by the next resume, or if it names waves and others are kept, by
/// the first one that doesn't or an interrupt. An interrupt holds no wave. When
/// it is turned off, all waves are held. An error says what it can't be used
/// with.
inline constexpr char NonStop[] = "QWavelaneNonStop";
/// In non-stop mode, while the process is stopped. Answer: OK; all waves there
/// are have been held since, and are its threads.
inline constexpr char HoldAll[] = "QWavelaneHoldAll";

/// No arguments. Answer: OK. From then on, a stop reply has all waves under
/// WavesKey, and under "threads" only the one that it is about.
inline constexpr char FoldStops[] = "QWavelaneFoldStops";
/// The keys in stop replies; StoppedWaves.h describes the value.
inline constexpr char WavesKey[] = "waves";
/// Instead of it: only the waves that aren't as the last reply with WavesKey
/// has reported, whose number follows. A client without that one asks by "?".
inline constexpr char MovedWavesKey[] = "moved-waves";
/// The number of the last reply with WavesKey, in hexadecimal.
inline constexpr char WavesNumberKey[] = "waves-number";

/// Arguments, each of them optional: {"stopOn":"memory,race"}, the checks whose
/// findings stop waves and the program's calls, until it is sent again; all if
/// it was never sent. {"ignore"}, suppressions as of wavelane-run, a line each:
/// what they match doesn't stop. {"suppressions","name"}, more of them, and the
/// name of their file. {"lines":true}, asks what each source line has
/// cost so far; {"file","function"}, parts of the names of the lines wanted;
/// {"most"}, how many are wanted in the table. Answer: {"checks"}, what the
/// device does, as in setting::Check; and as asked "launches", the number of
/// launches so far, "lines", as wavelane-run --json, and "table", text. An
/// error says why there is nothing, or what is wrong.
inline constexpr char Checks[] = "jWavelaneChecks";

/// Of a simulated device's recording (simulator::HistoryAnswerLimit).
/// Arguments:
/// {"do":"where"}, which answers as there; {"do":"record","on","limit"};
/// {"do":"back","wave","kind","lane","pc","code"}: where a step back of that
/// lane ends, to which the next "bs" of that thread goes;
/// {"do":"target","position","thread"}: where the next "bs" or
/// "s" of that thread goes to, with {"number"} at a stop of the wave with that
/// number; {"do":"present"}: the next "c" goes to the present;
/// {"do":"origin","thread",...}, {"do":"crossed"} and {"do":"covers"} as there.
/// An error says why nothing is recorded.
inline constexpr char Time[] = "jWavelaneTime";
/// Lets a core file run on: its waves are those of a simulated GPU from now on,
/// as after a packet that resumes them or sets a breakpoint. Arguments: those
/// of Settings; its checks are made. Answer:
/// {"processor","recording","warnings"}, or why it can't; "recording" is
/// whether its past is known. Does nothing for a live program.
inline constexpr char Simulate[] = "jWavelaneSimulate";

/// Of a core file. Answer: {"processor","warnings":["<text>"]}: what the core
/// file lacks or what is wrong with it, each reported once. An error says why
/// the core can't be shown; no other packet works then.
inline constexpr char CoreInfo[] = "jWavelaneCore";

/// Arguments: "ranges:<address>,<size>,...;", then the suffixes of memory
/// packets, which are those of all ranges. LLDB's packet but for the suffixes.
/// Ranges may overlap. A range with fewer bytes than asked ends where memory
/// does. An error: more than MaxRanges ranges, or than MaxTransfer bytes
/// together.
inline constexpr char ReadRanges[] = "MultiMemRead:";
/// Bytes that one memory packet carries at most.
inline constexpr unsigned MaxTransfer = 1 << 20;
inline constexpr unsigned MaxRanges = 1 << 12;
/// The code of an error, ESHUTDOWN.
inline constexpr unsigned char DeviceEnded = 108;
inline constexpr char AddressSpaceSuffix[] = "address_space:";
inline constexpr char LaneSuffix[] = "lane:";
inline constexpr char ThreadSuffix[] = "thread:";
inline constexpr char KeySuffix[] = "key:";

/// LLDB's packets whose arguments our server reads.
inline constexpr char RegisterInfo[] = "qRegisterInfo";
inline constexpr char TargetXML[] = "qXfer:features:read:target.xml:";

/// Keys of WaveInfo. Facts that ROCdbgapi doesn't know, of waves that began
/// before the debugger attached, are left out.
namespace wave {
inline constexpr char Thread[] = "thread"; ///< tid
inline constexpr char Threads[] = "threads";
inline constexpr char Name[] = "name";            ///< "saxpy (1,0,0)/2"
inline constexpr char LaneCount[] = "lane_count"; ///< 32 or 64
inline constexpr char Exec[] = "exec";            ///< mask, if stopped
/// The lanes that really execute (wavelane/GPU/ExecutingLanes.h): a mask.
inline constexpr char Active[] = "active";
inline constexpr char Pc[] = "pc";       ///< address, if stopped
inline constexpr char Agent[] = "agent"; ///< ids
inline constexpr char Queue[] = "queue";
inline constexpr char Dispatch[] = "dispatch";
inline constexpr char Wave[] = "wave";
inline constexpr char WorkgroupId[] = "workgroup_id";
inline constexpr char Workgroup[] = "workgroup"; ///< [x,y,z]
inline constexpr char WaveInWorkgroup[] = "wave_in_workgroup";
inline constexpr char WorkgroupSize[] =
    "workgroup_size";                               ///< [x,y,z] work-items
inline constexpr char GridSize[] = "grid_size";     ///< [x,y,z] work-items
inline constexpr char Kernarg[] = "kernarg";        ///< its arguments' address
inline constexpr char Kernel[] = "kernel";          ///< demangled, short
inline constexpr char StopReason[] = "stop_reason"; ///< "" if it has none
inline constexpr char State[] = "state";            ///< "stopped", "running"
} // namespace wave

/// How the description of an exception begins.
inline constexpr char MemoryViolation[] = "memory violation";
inline constexpr char AddressError[] = "address error";
inline constexpr char MemoryError[] = "memory ECC error";
inline constexpr char IllegalInstruction[] = "illegal instruction";
inline constexpr char FloatingPointException[] = "floating-point exception";
inline constexpr char DivisionByZero[] = "integer division by zero";
inline constexpr char AssertionOrAbort[] = "assertion or abort";
inline constexpr char FatalHalt[] = "fatal halt";
inline constexpr char DebugTrap[] = "debug trap";
/// Not an exception: there is nothing recorded before or after. A colon and why
/// follow.
inline constexpr char HistoryBoundary[] = "history boundary";
/// Followed by the finding's number and text.
inline constexpr char Finding[] = "finding";
inline constexpr char Trap[] = "trap";

//===-- The server's start ------------------------------------------------===//

/// Arguments of a server for a core file, after "--".
inline constexpr char CoreArgument[] = "--gpu-core=";
inline constexpr char HostCoreArgument[] = "--host-core=";
/// The folder in which code objects are searched for.
inline constexpr char CodeObjectsArgument[] = "--code-objects=";
/// The number of a file descriptor.
inline constexpr char ReasonArgument[] = "--reason-fd=";
/// As the arguments of Settings.
inline constexpr char SettingsArgument[] = "--settings=";

/// Arguments of a server for a rank of a job, after "--": the process to attach
/// to.
inline constexpr char RankArgument[] = "--rank-process=";
/// The number of a descriptor. The process waits for a byte from it, which is
/// written when the server has attached, and then executes its program: the
/// server serves it from the program's first instruction on. Without it, the
/// process is served as it is.
inline constexpr char AttachedArgument[] = "--attached-fd=";
/// The process is killed if the client disconnects without detaching.
inline constexpr char EndsArgument[] = "--ends-with-client";

/// Environment variables of the server, for the settings that Settings leaves
/// out. Device in the program's environment takes precedence over both.
inline constexpr char DeviceVariable[] = "WAVELANE_DEVICE";
inline constexpr char LibraryVariable[] = "WAVELANE_DBGAPI_LIBRARY";
/// A comma-separated list.
inline constexpr char ExceptionsVariable[] = "WAVELANE_EXCEPTIONS";
/// The port or range of ports ("4000-4010") for a remote client's GPU
/// connection, for clients that can reach forwarded ports only. Any port if it
/// isn't set.
inline constexpr char PortVariable[] = "WAVELANE_GPU_PORT";
/// From a platform to the servers that it starts: the host that it listens
/// for.
inline constexpr char ClientVariable[] = "WAVELANE_CLIENT";

} // namespace wavelane::server::packets

#endif // WAVELANE_PROTOCOL_SERVER_PACKETS_H
