//===-- MPIRequests.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MPIRequests.h"

#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/ValueObject/ValueObjectMemory.h"
#include "llvm/ADT/ArrayRef.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// A program that waits for more is shown with these.
static constexpr uint32_t kMostRequests = 1000;
/// What Open MPI 4's req_complete is for a request that is done.
static constexpr uint64_t kCompleted = 1;

/// The type of a point-to-point request: ompi_request_t is its first member.
static CompilerType FindRequestType(Target &target) {
  TypeQuery query("mca_pml_base_request_t");
  TypeResults results;
  target.GetImages().FindTypes(/*search_first=*/nullptr, query, results);
  for (const TypeSP &type_sp : results.GetTypeMap().Types())
    if (type_sp && type_sp->GetFullCompilerType().GetByteSize(&target))
      return type_sp->GetFullCompilerType();
  return {};
}

std::vector<MPIRequest> lldb_private::wavelane::ReadRequests(Process &process,
                                                             addr_t address,
                                                             uint32_t count) {
  std::vector<MPIRequest> requests;
  Target &target = process.GetTarget();
  const CompilerType type = FindRequestType(target);
  if (!type.IsValid())
    return requests;
  for (uint32_t i = 0; i < std::min(count, kMostRequests); ++i) {
    Status error;
    const addr_t at =
        process.ReadPointerFromMemory(address + i * sizeof(uint64_t), error);
    ValueObjectSP request_sp =
        error.Success()
            ? ValueObjectMemory::Create(&target, "request", Address(at), type)
            : nullptr;
    if (!request_sp)
      continue;
    auto find = [&](llvm::ArrayRef<llvm::StringRef> path) {
      ValueObjectSP value_sp = request_sp;
      for (llvm::StringRef name : path)
        value_sp = value_sp ? value_sp->GetChildMemberWithName(name) : nullptr;
      return value_sp;
    };
    ValueObjectSP outer_sp = find({"req_ompi", "req_type"}),
                  complete_sp = find({"req_ompi", "req_complete"}),
                  kind_sp = find({"req_type"}), peer_sp = find({"req_peer"}),
                  tag_sp = find({"req_tag"}),
                  communicator_sp = find({"req_comm"});
    if (!outer_sp || !complete_sp || !kind_sp || !peer_sp || !tag_sp ||
        !communicator_sp ||
        outer_sp->GetValueAsCString() != llvm::StringRef("OMPI_REQUEST_PML") ||
        complete_sp->GetValueAsUnsigned(kCompleted) == kCompleted)
      continue;
    const char *kind = kind_sp->GetValueAsCString();
    requests.push_back({kind == llvm::StringRef("MCA_PML_REQUEST_SEND"),
                        int32_t(peer_sp->GetValueAsSigned(0)),
                        int32_t(tag_sp->GetValueAsSigned(0)),
                        communicator_sp->GetValueAsUnsigned(0)});
  }
  return requests;
}
