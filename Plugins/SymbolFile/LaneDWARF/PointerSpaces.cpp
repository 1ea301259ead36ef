//===-- PointerSpaces.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerSpaces.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/LaneSource.h"
#include "Core/Lane/ProcessLanes.h"
#include "FrameContext.h"
#include "MissingLocations.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"
#include "lldb/ValueObject/ValueObject.h"
#include "wavelane/Location/Attributes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

namespace {
/// Represents all address spaces that don't exist: window addresses have no
/// room for larger numbers.
constexpr unsigned g_no_space = 15;
constexpr uint64_t g_local_aperture = uint64_t(0x10000) << 32;
constexpr uint64_t g_private_aperture = uint64_t(0x20000) << 32;

bool IsPlain(unsigned space) {
  // Constant memory, clang's space 4, is global memory.
  return space == eSpaceGlobal || space == eSpaceGeneric || space == 4;
}
} // namespace

static PointerSpaces g_pointer_spaces;

void PointerSpaces::Initialize() {
  OnFirstUseOfLanes([] { PointerResolver::Set(&g_pointer_spaces); });
}

unsigned PointerSpaces::ReadAttributes(const DWARFDIE &die) {
  uint64_t space = 0;
  for (uint16_t code :
       location::getAttributeCodes(location::LaneAttribute::AddressSpace))
    space =
        std::max(space, die.GetAttributeValueAsUnsigned(dw_attr_t(code), 0));
  if (space == 0) {
    space =
        die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_address_class, 0);
    if (space == 0)
      return 0;
    // The AMD dialect has always used the GPU's numbers.
    if (!IsAMDUnit(*die.GetCU()) && HasOldAddressSpaceNumbers(*die.GetCU()))
      space = space == 1   ? unsigned(eSpacePrivateLane)
              : space == 2 ? unsigned(eSpaceLocal)
                           : space;
  }
  if (IsPlain(unsigned(space)))
    return 0;
  return unsigned(std::min<uint64_t>(space, 0xffff));
}

unsigned PointerSpaces::GetSpace(const CompilerType &pointer) const {
  if (!ClangUtil::IsClangType(pointer))
    return 0;
  const auto *type = llvm::dyn_cast_or_null<clang::PointerType>(
      ClangUtil::GetCanonicalQualType(pointer).getTypePtrOrNull());
  if (!type)
    return 0;
  const clang::LangAS space = type->getPointeeType().getAddressSpace();
  return clang::isTargetAddressSpace(space) ? clang::toTargetAddressSpace(space)
                                            : 0;
}

uint64_t PointerSpaces::GetNull(unsigned space) const {
  return space == eSpaceLocal || space == eSpacePrivateLane ||
                 space == eSpacePrivateWave
             ? UINT32_MAX
             : 0;
}

addr_t PointerSpaces::Resolve(const ExecutionContext &exe_ctx, unsigned space,
                              uint64_t value) const {
  if (IsPlain(space)) {
    // Most pointers, in any process.
    std::optional<AddressSpace> aperture = ApertureSpace(value);
    if (!aperture) {
      if (value >> 60 != CallsFunctions::kCallAddresses >> 60)
        return value;
      auto *calls = dynamic_cast<CallsFunctions *>(exe_ctx.GetProcessPtr());
      return calls ? calls->GetCallAddress(
                         exe_ctx, value - CallsFunctions::kCallAddresses)
                   : value;
    }
    space = *aperture;
  } else if (IsWindowAddress(value)) {
    return value;
  } else if (uint32_t(value) == GetNull(space)) {
    return 0;
  }
  Process *process = exe_ctx.GetProcessPtr();
  if (!process || !dynamic_cast<AddressSpaceMemory *>(process))
    return value;
  ThreadSP thread_sp = exe_ctx.GetThreadSP();
  if (!thread_sp)
    thread_sp = process->GetThreadList().GetSelectedThread();
  if (!thread_sp)
    return value;
  StackFrame *frame = exe_ctx.GetFramePtr();
  llvm::Expected<addr_t> address =
      ProcessLanes::GetOrCreate(*process)->GetSpaceAddress(
          thread_sp->GetID(),
          frame ? GetFocusLane(*frame) : GetFocusLane(*thread_sp),
          std::min(space, g_no_space), uint32_t(value));
  if (!address) {
    llvm::consumeError(address.takeError());
    return value;
  }
  return *address;
}

uint64_t PointerSpaces::Convert(unsigned from, unsigned to,
                                uint64_t value) const {
  if (IsPlain(from) && IsPlain(to)) {
    // Convert the window address of a variable to the program's address.
    std::optional<SpaceAddress> place = SpaceAddress::Decode(value);
    return !place                        ? value
           : place->space == eSpaceLocal ? g_local_aperture | place->offset
           : place->space == eSpacePrivateLane
               ? g_private_aperture | place->offset
               : value;
  }
  if (IsPlain(to)) {
    if (uint32_t(value) == GetNull(from))
      return 0;
    return (from == eSpaceLocal         ? g_local_aperture
            : from == eSpacePrivateLane ? g_private_aperture
                                        : 0) |
           uint32_t(value);
  }
  if (IsPlain(from)) {
    // A variable's address is an address in the window.
    if (std::optional<SpaceAddress> place = SpaceAddress::Decode(value))
      return place->space == to ? place->offset : GetNull(to);
    return ApertureSpace(value) == AddressSpace(to) ? uint32_t(value)
                                                    : GetNull(to);
  }
  return from == to ? value : GetNull(to);
}

/// "local#0xc" for a pointer into an address space other than global memory.
static std::string DescribePointer(ValueObject &pointer, unsigned space) {
  Process *process = pointer.GetProcessSP().get();
  bool ok = false;
  const uint64_t value = pointer.GetValueAsUnsigned(0, &ok);
  if (!process || !ok)
    return {};
  auto lanes = ProcessLanes::GetOrCreate(*process);
  // The pointer's own frame says whose memory it is.
  if (space == 0)
    return lanes->Contains(value)
               ? lanes->Describe(
                     *process,
                     g_pointer_spaces.Resolve(
                         pointer.GetExecutionContextRef().Lock(
                             /*thread_and_frame_only_if_stopped=*/true),
                         space, value))
               : std::string();
  const char *name = GetSpaceName(space);
  if (!name)
    return llvm::formatv("there is no address space {0}", space);
  if (uint32_t(value) == g_pointer_spaces.GetNull(space))
    return llvm::formatv("{0}#NULL", name);
  return llvm::formatv("{0}#{1:x}", name, uint32_t(value));
}

static bool IsGPU(const Target &target) {
  return target.GetArchitecture().GetMachine() == llvm::Triple::amdgcn;
}

// An expression is interpreted, never run on the GPU. Host and device code
// agree on the layout of every type, so it is compiled for the host.
ArchSpec PointerSpaces::GetExpressionArchitecture(const Target &target) const {
  return IsGPU(target) ? ArchSpec("x86_64-unknown-linux-gnu")
                       : target.GetArchitecture();
}

// Pointers into the GPU's small address spaces are four bytes.
std::string PointerSpaces::GetDataLayout(const Target &target) const {
  return IsGPU(target) ? "-p2:32:32-p3:32:32-p5:32:32-p6:32:32" : "";
}

TypeSummaryImplSP
PointerSpaces::GetSummary(ValueObject &object,
                          const TypeSummaryImplSP &found) const {
  return MarkMissingLocation(object, GetPointerSummary(object, found));
}

TypeSummaryImplSP
PointerSpaces::GetPointerSummary(ValueObject &object,
                                 const TypeSummaryImplSP &found) const {
  CompilerType type = object.GetCompilerType();
  if (!type.IsPointerType())
    return found;
  ProcessSP process_sp = object.GetProcessSP();
  // On a CPU, only implicit pointers point into the window.
  if (!dynamic_cast<AddressSpaceMemory *>(process_sp.get()) &&
      !IsWindowAddress(object.GetValueAsUnsigned(0)))
    return found;
  const unsigned space = GetSpace(type);
  if (DescribePointer(object, space).empty())
    return found;
  TypeSummaryImpl::Flags flags;
  flags.SetDontShowValue(false).SetDontShowChildren(false);
  return std::make_shared<CXXFunctionSummaryFormat>(
      flags,
      [space, found](ValueObject &pointer, Stream &stream,
                     const TypeSummaryOptions &options) {
        stream.PutCString(DescribePointer(pointer, space));
        std::string text;
        if (found && found->FormatObject(&pointer, text, options) &&
            !text.empty())
          stream.Format(" {0}", text);
        return true;
      },
      "address space of a pointer");
}
