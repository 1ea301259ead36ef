//===-- EntryValues.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryValues.h"
#include "LaneAttributes.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

// How many calls to follow for a value; recursion may not end.
static constexpr unsigned g_max_calls = 64;

namespace {
struct Call {
  StackFrameSP caller_sp;
  CallEdge *edge = nullptr;
};
} // namespace

/// The call that called \a callee, if it is unambiguous.
static llvm::Expected<Call> FindCall(StackFrame &callee) {
  ThreadSP thread_sp = callee.GetThread();
  Target &target = thread_sp->GetProcess()->GetTarget();
  Function *function = callee.GetSymbolContext(eSymbolContextFunction).function;
  // Inlined frames between the two have no calls; the first of them has the
  // return address.
  Call call;
  addr_t return_address = LLDB_INVALID_ADDRESS;
  for (uint32_t index = callee.GetFrameIndex() + 1;
       !call.caller_sp || call.caller_sp->IsInlined(); ++index) {
    call.caller_sp = thread_sp->GetStackFrameAtIndex(index);
    if (!call.caller_sp)
      return location::missing("frame of the caller");
    if (return_address == LLDB_INVALID_ADDRESS)
      return_address =
          call.caller_sp->GetFrameCodeAddress().GetLoadAddress(&target);
  }
  Function *caller =
      call.caller_sp->GetSymbolContext(eSymbolContextFunction).function;
  if (!function || !caller)
    return location::missing("functions of the call");
  ExecutionContext exe_ctx(call.caller_sp);
  auto calls_function = [&](CallEdge &edge) {
    return edge.GetCallee(target.GetImages(), exe_ctx) == function;
  };
  if (call.caller_sp->IsArtificial()) {
    // LLDB found the only sequence of tail calls that leads here.
    for (const auto &edge : caller->GetTailCallingEdges())
      if (calls_function(*edge)) {
        call.edge = edge.get();
        break;
      }
  } else if (CallEdge *edge =
                 caller->GetCallEdgeForReturnAddress(return_address, target)) {
    if (!calls_function(*edge))
      return location::missing(
          "certain caller: there may have been tail calls");
    call.edge = edge;
  }
  if (!call.edge)
    return location::missing("description of the call (DW_TAG_call_site)");
  return call;
}

/// `regN` or `regx N`, as a call parameter names its register.
static llvm::SmallVector<uint8_t, 8> NameRegister(uint64_t number) {
  if (number < 32)
    return {uint8_t(dw::DW_OP_reg0 + number)};
  uint8_t buffer[10];
  llvm::SmallVector<uint8_t, 8> name{dw::DW_OP_regx};
  name.append(buffer, buffer + llvm::encodeULEB128(number, buffer));
  return name;
}

llvm::Error CallerContext::readRegister(uint64_t number, uint64_t,
                                        uint64_t offset,
                                        llvm::MutableArrayRef<uint8_t> into) {
  const FrameFacts &facts = m_callee.GetFacts();
  StackFrameSP callee_sp = facts.GetFrame();
  if (!callee_sp)
    return location::missing("call frame");
  if (m_callee.GetCallDepth() >= g_max_calls)
    return location::makeError(location::ErrorKind::Limit,
                               "a value is handed down by more than " +
                                   llvm::Twine(g_max_calls) + " callers");
  llvm::Expected<Call> call = FindCall(*callee_sp);
  if (!call)
    return call.takeError();

  const llvm::SmallVector<uint8_t, 8> name = NameRegister(number);
  lldb_private::DataExtractor value_data;
  for (const CallSiteParameter &parameter :
       call->edge->GetCallSiteParameters()) {
    lldb_private::DataExtractor place;
    if (parameter.LocationInCallee.GetExpressionData(place) &&
        place.GetData() == llvm::ArrayRef<uint8_t>(name) &&
        parameter.LocationInCaller.GetExpressionData(value_data))
      break;
    value_data.Clear();
  }
  if (value_data.GetByteSize() == 0)
    return location::missing("value that " +
                             getRegisterName(number).value_or("the register") +
                             " had when the function was called");

  StackFrame &caller = *call->caller_sp;
  DWARFDIE function = GetFunctionDIE(caller);
  if (!function)
    return location::missing("debug information of the caller");
  FrameContext context(FrameFacts(*facts.GetProcess(), facts.GetThread().get(),
                                  &caller, facts.GetLane()),
                       function.GetModule(), function.GetCU(),
                       uint8_t(getAddressSize()));
  // Each caller may need a value from its own caller.
  context.SetCallDepth(m_callee.GetCallDepth() + 1);
  const llvm::ArrayRef<uint8_t> expression = value_data.GetData();
  llvm::Expected<location::Entry> entry =
      location::evaluate(expression, context, location::ResultKind::Any,
                         context.GetOptions(expression));
  if (!entry)
    return entry.takeError();
  // The parameter's value, which may be a float, or the location of a copy.
  if (!entry->IsValue &&
      entry->Location.Kind != location::StorageKind::Memory) {
    if (llvm::Error error =
            entry->Location.move(context, location::BitCount(offset) * 8))
      return error;
    return entry->Location.read(context, location::BitCount(into.size()) * 8,
                                into);
  }
  llvm::Expected<location::Value> value = location::toValue(*entry, context);
  if (!value)
    return value.takeError();
  if (offset > 8 || into.size() > 8 - offset)
    return location::failed("only the low eight bytes of a register on entry "
                            "are known");
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = uint8_t(value->Bits >> (8 * (offset + i)));
  return llvm::Error::success();
}
