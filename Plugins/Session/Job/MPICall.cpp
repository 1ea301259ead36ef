//===-- MPICall.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MPICall.h"
#include "CallArguments.h"
#include "HostPlace.h"
#include "MPIRequests.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
using Kind = MPICall::Kind;

/// The numbers of arguments; -1 is none.
struct Signature {
  llvm::StringLiteral name;
  Kind kind;
  int8_t communicator = -1, peer = -1, tag = -1, count = -1, requests = -1;
};

// MPI 4.0's bindings for C, of the calls that may wait for another rank.
constexpr Signature kSignatures[] = {
    {"MPI_Send", Kind::Send, 5, 3, 4},
    {"MPI_Ssend", Kind::Send, 5, 3, 4},
    {"MPI_Bsend", Kind::Send, 5, 3, 4},
    {"MPI_Rsend", Kind::Send, 5, 3, 4},
    {"MPI_Recv", Kind::Receive, 5, 3, 4},
    {"MPI_Probe", Kind::Receive, 2, 0, 1},
    {"MPI_Mprobe", Kind::Receive, 2, 0, 1},
    {"MPI_Sendrecv", Kind::Exchange, 10, 8, 9},
    {"MPI_Sendrecv_replace", Kind::Exchange, 7, 5, 6},
    {"MPI_Barrier", Kind::Collective, 0},
    {"MPI_Bcast", Kind::Collective, 4, 3},
    {"MPI_Reduce", Kind::Collective, 6, 5},
    {"MPI_Allreduce", Kind::Collective, 5},
    {"MPI_Scan", Kind::Collective, 5},
    {"MPI_Exscan", Kind::Collective, 5},
    {"MPI_Reduce_scatter", Kind::Collective, 5},
    {"MPI_Reduce_scatter_block", Kind::Collective, 5},
    {"MPI_Gather", Kind::Collective, 7, 6},
    {"MPI_Scatter", Kind::Collective, 7, 6},
    {"MPI_Gatherv", Kind::Collective, 8, 7},
    {"MPI_Scatterv", Kind::Collective, 8, 7},
    {"MPI_Allgather", Kind::Collective, 6},
    {"MPI_Alltoall", Kind::Collective, 6},
    {"MPI_Allgatherv", Kind::Collective, 7},
    {"MPI_Alltoallv", Kind::Collective, 8},
    {"MPI_Alltoallw", Kind::Collective, 8},
    {"MPI_Comm_dup", Kind::Collective, 0},
    {"MPI_Comm_create", Kind::Collective, 0},
    {"MPI_Comm_split", Kind::Collective, 0},
    {"MPI_Comm_split_type", Kind::Collective, 0},
    {"MPI_Finalize", Kind::Collective},
    {"MPI_Wait", Kind::Completion, -1, -1, -1, -1, 0},
    {"MPI_Waitall", Kind::Completion, -1, -1, -1, 0, 1},
    {"MPI_Waitany", Kind::Completion, -1, -1, -1, 0, 1},
    {"MPI_Waitsome", Kind::Completion, -1, -1, -1, 0, 1},
    {"MPI_Win_fence", Kind::Collective},
    {"MPI_Win_free", Kind::Collective},
};

/// What the constants of a library are. Those of MPICH are MPI's ABI for Intel
/// MPI, MVAPICH and Cray MPICH.
struct Dialect {
  int32_t any_source, any_tag, proc_null;
};
constexpr Dialect kOpenMPI = {-1, -1, -2}, kMPICH = {-2, -1, -1};
constexpr uint32_t kMPICHWorld = 0x44000000, kMPICHSelf = 0x44000001;
} // namespace

static const Signature *FindSignature(StackFrame &frame) {
  llvm::StringRef name =
      frame.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol)
          .GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
          .GetStringRef()
          .split('@')
          .first;
  // The name under which tools for profiling call it.
  if (name.starts_with("PMPI_"))
    name = name.drop_front();
  for (const Signature &one : kSignatures)
    if (one.name == name)
      return &one;
  return nullptr;
}

static bool IsOpenMPI(StackFrame &frame) {
  const SymbolContext context = frame.GetSymbolContext(eSymbolContextModule);
  return context.module_sp &&
         context.module_sp->FindFirstSymbolWithNameAndType(
             ConstString("ompi_mpi_comm_world"), eSymbolTypeAny);
}

/// \param[out] call An MPICall or a message of one.
template <typename T>
static void NameCommunicator(T &call, uint64_t handle, bool is_open_mpi,
                             Target &target) {
  if (!is_open_mpi) {
    const uint32_t number = uint32_t(handle);
    call.of_world = number == kMPICHWorld;
    call.communicator = call.of_world ? "MPI_COMM_WORLD"
                        : number == kMPICHSelf
                            ? "MPI_COMM_SELF"
                            : llvm::formatv("communicator {0:x}", number).str();
    return;
  }
  Address address;
  const Symbol *symbol = target.ResolveLoadAddress(handle, address)
                             ? address.CalculateSymbolContextSymbol()
                             : nullptr;
  const llvm::StringRef name = symbol ? symbol->GetName().GetStringRef() : "";
  call.of_world = name == "ompi_mpi_comm_world";
  call.communicator = call.of_world ? "MPI_COMM_WORLD"
                      : name == "ompi_mpi_comm_self"
                          ? "MPI_COMM_SELF"
                          : llvm::formatv("communicator {0:x}", handle).str();
}

static void AddMessages(MPICall &call, Process &process, addr_t requests) {
  const uint32_t count = uint32_t(call.count.value_or(1));
  for (const MPIRequest &request : ReadRequests(process, requests, count)) {
    MPICall::Message message;
    message.is_send = request.is_send;
    if (request.peer >= 0)
      message.peer = request.peer;
    if (request.tag >= 0)
      message.tag = request.tag;
    NameCommunicator(message, request.communicator, /*is_open_mpi=*/true,
                     process.GetTarget());
    call.messages.push_back(std::move(message));
  }
}

static MPICall Describe(const Signature &signature, StackFrame &callee,
                        StackFrame &caller) {
  MPICall call;
  call.name = signature.name.str();
  call.kind = signature.kind;
  const bool is_open_mpi = IsOpenMPI(callee);
  const Dialect &dialect = is_open_mpi ? kOpenMPI : kMPICH;
  CallArguments arguments(callee, caller);
  if (signature.peer >= 0)
    call.peer = arguments.GetInt(unsigned(signature.peer));
  if (signature.tag >= 0)
    call.tag = arguments.GetInt(unsigned(signature.tag));
  if (signature.count >= 0)
    call.count = arguments.GetInt(unsigned(signature.count));
  if (signature.requests >= 0 && is_open_mpi &&
      (signature.count < 0 || call.count))
    if (auto requests = arguments.Get(unsigned(signature.requests)))
      AddMessages(call, *callee.GetThread()->GetProcess(), *requests);
  if (signature.communicator >= 0) {
    if (auto handle = arguments.Get(unsigned(signature.communicator)))
      NameCommunicator(call, *handle, is_open_mpi,
                       callee.GetThread()->GetProcess()->GetTarget());
  } else if (call.name == "MPI_Finalize") {
    call.communicator = "MPI_COMM_WORLD";
    call.of_world = true;
  }
  const bool receives =
      call.kind == Kind::Receive || call.kind == Kind::Exchange;
  call.from_any = receives && call.peer == dialect.any_source;
  call.any_tag = receives && call.tag == dialect.any_tag;
  call.is_null =
      call.kind != Kind::Collective && call.peer == dialect.proc_null;
  return call;
}

std::optional<MPICall> MPICall::Find(Thread &thread) {
  const std::vector<StackFrameSP> frames = GetFrames(thread);
  for (size_t i = frames.size(); i-- > 0;)
    if (const Signature *signature = FindSignature(*frames[i]);
        signature && i + 1 < frames.size())
      return Describe(*signature, *frames[i], *frames[i + 1]);
  return std::nullopt;
}

std::string MPICall::Format() const {
  std::string text = name;
  if (peer && !is_null && !from_any && *peer >= 0) {
    text += kind == Kind::Send         ? " to rank "
            : kind == Kind::Collective ? ", root "
                                       : " from rank ";
    text += std::to_string(*peer);
  } else if (from_any) {
    text += " from any rank";
  } else if (is_null) {
    text += " with MPI_PROC_NULL";
  }
  if (any_tag)
    text += ", any tag";
  else if (tag)
    text += ", tag " + std::to_string(*tag);
  if (count)
    text += llvm::formatv(" for {0} request{1}", *count, *count == 1 ? "" : "s")
                .str();
  if (!communicator.empty())
    text += ", " + communicator;
  for (const Message &message : messages)
    text += (&message == &messages.front() ? ": " : "; ") + message.Format();
  return text;
}

std::string MPICall::Message::Format() const {
  std::string text = is_send ? "send to " : "receive from ";
  text += peer ? "rank " + std::to_string(*peer) : "any rank";
  text += tag ? ", tag " + std::to_string(*tag) : ", any tag";
  return text + ", " + communicator;
}
