//===-- Packets.h - What client and server say about GPUs -------*- C++ -*-===//
//
// The gdb-remote packets that Wavelane's lldb-server answers beyond those of
// LLDB 19's own server, by name, JSON key and meaning. Names and forms are those
// of upstream LLDB (accelerator plugins, address spaces) wherever it has them;
// ours begin with jWavelane. Numbers in JSON are decimal, numbers in packets and
// suffixes hexadecimal without 0x. JSON is escaped as binary data ('}').
//
// Two connections: the host connection serves the program as any lldb-server
// does. The GPU connection, announced on the first one, serves a process whose
// threads are waves: its thread id is the wave's ROCdbgapi handle, its process
// id the program's.
//
// Host connection
//   qSupported                     the answer has AcceleratorPlugins.
//   jAcceleratorPluginInitialize   answer: array of actions. Sent while the
//       program is stopped, before it has run (or after an attach). From here on
//       the server watches for the program's GPU runtime; without this packet it
//       is an ordinary server. Error: GPU debugging can't be had, and why.
//   jAcceleratorPluginBreakpointHit:{"plugin_name","breakpoint":{"identifier"},
//       "symbol_values"}           answer: {"disable_bp","auto_resume_native",
//       "actions"}. Sent while the host thread stands at the breakpoint.
//   jAcceleratorPluginGetDynamicLoaderLibraryInfo:{"plugin_name","full"}
//       answer: {"library_infos":[...]}; on the GPU connection as well. With
//       "full" false only what changed since the last answer ("load" false: gone).
//       "loaded_image" (ours): it is to be read from where it is loaded.
//   jWavelaneSaveCore:{"path"}     answer: {"path"}, the core of host and GPU that
//       was written there, on the server's machine. Host and GPU have stopped.
//   An action: "plugin_name" PluginName, "session_name", "identifier",
//       "breakpoints":[{"identifier","by_name":{"function_name","shlib":null}} or
//       {"identifier","by_address":{"load_address"},"symbol_names":[]}], and once
//       the runtime is up "connect_info":{"connect_url","platform_name","triple",
//       "processor" (ours: "gfx90a"),"simulated" (ours),"synchronous":true}.
//       "load_libraries" (ours): the GPU's code objects have changed, ask for them.
//   connect_url is unix-connect://<path> where the host connection is a local
//       one, else connect://[<address that the client reached>]:<port>. Nobody else
//       than the client's address is let in, once.
//
// GPU connection
//   qHostInfo, qProcessInfo   triple amdgcn-amd-amdhsa, and (ours) processor.
//   qSupported                the answer has AddressSpaces, MultiMemRead, StepOver and
//       OneStopReply: an interrupt is answered by one stop reply at most.
//   ?                         T00 without a thread while there is no wave.
//   stop replies              waves have reason: "breakpoint", "trace",
//       "watchpoint" (description "<address> 0 <address>"), or "exception" with
//       a description; signal numbers SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE,
//       SIGABRT as ROCgdb maps them. A wave that was stopped because another one
//       did has neither reason nor signal. An interrupt is SIGINT on one wave.
//       Expedited: pc and exec, which are registers 0 and 1.
//   vCont                     c and s for any set of waves. Waves without an
//       action stay; waves that begin later run if there is an action for all.
//       Those that a running wave waits for at a barrier run along.
//       A wave that stops stops all. A wave that is resumed at an inserted
//       breakpoint executes what stands under it (StepOver): a client needs no
//       step over it of its own. When the last wave of a resumed process ends the
//       process goes on running. When a stepped wave ends, others stop; with no
//       wave left that is T00 without a thread.
//   W00                       the program has ended. W01;description:<hex>; GPU
//       debugging has ended, and why; the program may go on. Like any stop it is
//       the answer to a resume or to '?', never sent to a client that doesn't wait.
//   qRegisterInfo, target.xml the registers of all waves: a wave may lack some
//       (p answers an error). p and P only, no g. Registers of GPUs that have
//       both wave sizes: v0, exec, vcc are wave32's, v0_w64 and so on wave64's.
//   m, x, M                   may end in AddressSpaceSuffix, LaneSuffix and
//       "thread:<tid>;", in any order: ";address_space:5;lane:11;thread:2a;".
//       Spaces are by DWARF number. A read may give fewer bytes than asked.
//       Breakpoints never show in what is read.
//   MultiMemRead:ranges:<address>,<size>,...;   LLDB's, and may end in the suffixes of
//       memory packets, which are of all ranges then. At most MaxRanges ranges of
//       together MaxTransfer bytes; an error where they are more. They may overlap.
//       Fewer bytes than asked are those from a range's start on.
//   Z2, Z3, Z4                may end in the suffixes of memory packets, all of them,
//       and KeySuffix: local or private memory is watched then, on a simulated GPU.
//       Stop replies and z packets call it by the key.
//   jAddressSpacesInfo        answer: [{"name","space_id","is_thread_specific"}],
//       space_id the DWARF number; also (ours) "address_bits", "null",
//       "depends_on": "lane", "wave", "workgroup", "agent" or "process".
//   jWavelaneWaveInfo:{"thread":<tid>}   answer: object of WaveInfoKeys.
//   jWavelaneObjects:{"kind":"agent|queue|dispatch|workgroup|wave|code_object"}
//       answer: array of objects; every object has "id".
//   jWavelaneCore             answer: {"processor","warnings":["<text>"]}: what a
//       core file lacks or what is wrong with it, each told once. Error: the core can't be
//       shown, and why (no other packet is of use then).
//       A workgroup with a wave at its barrier has "at_barrier" and "not_arrived",
//       the numbers of its waves; one with a wave at the grid's "at_grid_barrier".
//       "wave_kernel": of all stopped waves the "kernel" ("" where it isn't known)
//       and "threads" that are in it, as pairs: a first one and how many there are
//       from it on.
//       "wave_name": one such object, with all "names", each with a line's end, in
//       the order of its "threads".
//       "stop": of each wave whose stop is known to be about some lanes, "thread"
//       and "lanes", their mask.
//   jWavelaneConditions:{"address","any":[condition...]}   answer: OK. The
//       breakpoint at that address stops only waves for which one of the conditions
//       holds in an active lane, or can't be told; others pass it and are never
//       seen. An empty array takes the conditions back, as the breakpoint's removal
//       does. A condition is {"variables":[{"expression","size"}...],
//       "frame_base","old_numbers","test","thread","once_per_dispatch"}; all may be
//       left out, and without a test it holds in no particular lane. Expressions are DWARF, in
//       hexadecimal, as upstream clang means them (old_numbers: clang up to 21).
//       "test" is a tree of arrays, types being s, u or f with 1, 2, 4 or 8 bytes:
//       ["const",T,bits] ["var",T,index,offset] ["read",T,address]
//       ["number",T,"lane|lanes|dispatch|wave_in_group|item|group|group_size|groups",
//       dimension] ["convert",T,x] ["neg"|"~",T,x] ["!",x] ["&&"|"||",x,y]
//       ["?",T,x,y,z] and [operator of C,T,x,y] where both sides are of type T.
//   D, k                      D takes out every breakpoint and lets the waves
//       run; the program stays with the host connection. k kills the program.
//
// A core file is served by `lldb-server gdbserver --fd=<fd> -- --gpu-core=<file>
// [--host-core=<file>] [--code-objects=<folder>] [--reason-fd=<fd>]`: a GPU
// connection alone, whose process has stopped for ever. Packets that would run or
// write are refused. A server whose debug library fails says why on reason-fd, and
// ends.
//
// Environment of the server: WAVELANE_DEVICE, WAVELANE_DBGAPI_LIBRARY and
// WAVELANE_GPU_PORT; for
// WAVELANE_DEVICE the program's environment counts first.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_PACKETS_H
#define WAVELANE_SERVER_PACKETS_H

namespace wavelane::packets {

/// What the description of an exception begins with.
inline constexpr char MemoryViolation[] = "memory violation";
inline constexpr char AddressError[] = "address error";
inline constexpr char MemoryError[] = "memory ECC error";
inline constexpr char IllegalInstruction[] = "illegal instruction";
inline constexpr char FloatingPointException[] = "floating-point exception";
inline constexpr char DivisionByZero[] = "integer division by zero";
inline constexpr char AssertionOrAbort[] = "assertion or abort";
inline constexpr char FatalHalt[] = "fatal halt";
inline constexpr char DebugTrap[] = "debug trap";
inline constexpr char Trap[] = "trap";

/// "plugin_name" of our actions.
inline constexpr char PluginName[] = "amdgpu";

inline constexpr char AcceleratorPlugins[] = "accelerator-plugins+";
inline constexpr char OneStopReply[] = "one-stop-reply+";
inline constexpr char AddressSpaces[] = "address-spaces+";
inline constexpr char StepOver[] = "wavelane-step-over+";
inline constexpr char MultiMemRead[] = "MultiMemRead+";

/// What one memory packet may carry, in bytes, and how many ranges.
inline constexpr unsigned MaxTransfer = 1 << 20;
inline constexpr unsigned MaxRanges = 1 << 12;
inline constexpr char ReadRanges[] = "MultiMemRead:";

inline constexpr char AcceleratorInitialize[] = "jAcceleratorPluginInitialize";
inline constexpr char AcceleratorBreakpointHit[] =
    "jAcceleratorPluginBreakpointHit:";
inline constexpr char AcceleratorLibraryInfo[] =
    "jAcceleratorPluginGetDynamicLoaderLibraryInfo:";
inline constexpr char AddressSpacesInfo[] = "jAddressSpacesInfo";
inline constexpr char WaveInfo[] = "jWavelaneWaveInfo:";
inline constexpr char Objects[] = "jWavelaneObjects:";
inline constexpr char SaveCore[] = "jWavelaneSaveCore:";
inline constexpr char CoreInfo[] = "jWavelaneCore";

/// Arguments of a server for a core file, behind "--".
inline constexpr char CoreArgument[] = "--gpu-core=";
inline constexpr char HostCoreArgument[] = "--host-core=";
inline constexpr char CodeObjectsArgument[] = "--code-objects=";
inline constexpr char ReasonArgument[] = "--reason-fd=";
inline constexpr char Conditions[] = "jWavelaneConditions:";

inline constexpr char AddressSpaceSuffix[] = "address_space:";
inline constexpr char LaneSuffix[] = "lane:";
inline constexpr char ThreadSuffix[] = "thread:";
inline constexpr char KeySuffix[] = "key:";

/// Environment variables. Device: "auto", "simulated" or "hardware".
inline constexpr char DeviceVariable[] = "WAVELANE_DEVICE";
inline constexpr char LibraryVariable[] = "WAVELANE_DBGAPI_LIBRARY";
/// The port or ports (4000-4010) that a GPU connection of a remote client is taken on:
/// for clients that can reach forwarded ports alone. Any without it.
inline constexpr char PortVariable[] = "WAVELANE_GPU_PORT";
/// Which exceptions are reported at their own instruction, "memory" and "alu", and
/// which ones that waves don't raise by themselves, "local-range"; with commas.
inline constexpr char ExceptionsVariable[] = "WAVELANE_EXCEPTIONS";

/// Keys of jWavelaneWaveInfo. What ROCdbgapi can't tell (of waves that began
/// before the debugger came) is left out.
namespace wave {
inline constexpr char Thread[] = "thread";       ///< tid
inline constexpr char Threads[] = "threads";
inline constexpr char Name[] = "name";           ///< "saxpy (1,0,0)/2"
inline constexpr char LaneCount[] = "lane_count";///< 32 or 64
inline constexpr char Exec[] = "exec";           ///< mask, if stopped
inline constexpr char Pc[] = "pc";               ///< address, if stopped
inline constexpr char Agent[] = "agent";         ///< ids
inline constexpr char Queue[] = "queue";
inline constexpr char Dispatch[] = "dispatch";
inline constexpr char Wave[] = "wave";
inline constexpr char WorkgroupId[] = "workgroup_id";
inline constexpr char Workgroup[] = "workgroup"; ///< [x,y,z]
inline constexpr char WaveInWorkgroup[] = "wave_in_workgroup";
inline constexpr char WorkgroupSize[] = "workgroup_size"; ///< [x,y,z] work-items
inline constexpr char GridSize[] = "grid_size";           ///< [x,y,z] work-items
inline constexpr char Kernel[] = "kernel";                ///< demangled, short
inline constexpr char StopReason[] = "stop_reason"; ///< "" if stopped for others
inline constexpr char State[] = "state";            ///< "stopped", "running"
} // namespace wave

} // namespace wavelane::packets

#endif // WAVELANE_SERVER_PACKETS_H
