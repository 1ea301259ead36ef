//===-- EntryValues.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryValues.h"
#include "CallSites.h"
#include "FunctionEntry.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"

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
  CallSite site;
};
} // namespace

/// The entry with the code of \a frame, not that of an inlined call in it.
static DWARFDIE GetCodeDIE(StackFrame &frame) {
  DWARFDIE die = GetFunctionDIE(frame);
  while (die && die.Tag() != dw::DW_TAG_subprogram)
    die = die.GetParent();
  return die;
}

/// The address that \a site's expression gives.
static llvm::Expected<addr_t> FindTarget(EvaluationContext &context,
                                         const CallSite &site) {
  if (site.target.empty())
    return location::missing("function that the call calls");
  llvm::Expected<location::Entry> entry =
      location::evaluate(site.target, context, location::ResultKind::Any,
                         context.GetOptions(site.target));
  if (!entry)
    return entry.takeError();
  llvm::Expected<location::Value> value = location::toValue(*entry, context);
  if (!value)
    return value.takeError();
  return value->Bits;
}

/// Whether \a site calls the function of \a callee.
static llvm::Expected<bool> Calls(const EvaluationContext &context,
                                  StackFrame &caller, const CallSite &site,
                                  StackFrame &callee) {
  if (site.origin)
    return AreSameFunction(site.origin, GetCodeDIE(callee));
  std::shared_ptr<EvaluationContext> in_caller =
      context.MakeCaller(caller, site.die);
  llvm::Expected<addr_t> target = FindTarget(*in_caller, site);
  if (!target)
    return target.takeError();
  Function *function = callee.GetSymbolContext(eSymbolContextFunction).function;
  return function &&
         *target == function->GetAddress().GetLoadAddress(
                        &context.GetFacts().GetProcess()->GetTarget());
}

/// The frame of the code that \a frame is in, behind the calls inlined there.
static StackFrameSP GetCodeFrame(Thread &thread, StackFrameSP frame_sp) {
  while (frame_sp && frame_sp->IsInlined())
    frame_sp = thread.GetStackFrameAtIndex(frame_sp->GetFrameIndex() + 1);
  return frame_sp;
}

/// The call that called the function of \a context's frame, if it is
/// unambiguous.
static llvm::Expected<Call> FindCall(const EvaluationContext &context) {
  ThreadSP thread_sp = context.GetFacts().GetThread();
  StackFrameSP callee_sp =
      thread_sp ? GetCodeFrame(*thread_sp, context.GetFacts().GetFrame())
                : nullptr;
  StackFrameSP first_sp =
      callee_sp
          ? thread_sp->GetStackFrameAtIndex(callee_sp->GetFrameIndex() + 1)
          : nullptr;
  Call call;
  call.caller_sp = first_sp ? GetCodeFrame(*thread_sp, first_sp) : nullptr;
  if (!call.caller_sp)
    return location::missing("frame of the caller");
  const DWARFDIE function = GetCodeDIE(*callee_sp);
  const DWARFDIE caller = GetCodeDIE(*call.caller_sp);
  if (!function || !caller)
    return location::missing("functions of the call");
  const bool is_tail_call = call.caller_sp->IsArtificial();
  // The frame of an inlined call has the same return address.
  Target &target = thread_sp->GetProcess()->GetTarget();
  Address return_address;
  target.ResolveLoadAddress(
      first_sp->GetFrameCodeAddress().GetLoadAddress(&target), return_address);
  llvm::SmallVector<CallSite, 1> found;
  for (const CallSite &site : ReadCallSites(caller)) {
    if (site.is_tail_call != is_tail_call)
      continue;
    if (!is_tail_call) {
      if (site.return_pc == return_address.GetFileAddress())
        found.push_back(site);
      continue;
    }
    // LLDB found the only sequence of functions that leads here.
    llvm::Expected<bool> calls =
        Calls(context, *call.caller_sp, site, *callee_sp);
    if (!calls)
      llvm::consumeError(calls.takeError());
    else if (*calls)
      found.push_back(site);
  }
  if (found.empty())
    return location::missing("description of the call (DW_TAG_call_site)");
  if (found.size() > 1)
    return location::missing("certain call: the function may have been called "
                             "at several places");
  call.site = found.front();
  if (!is_tail_call) {
    llvm::Expected<bool> calls =
        Calls(context, *call.caller_sp, call.site, *callee_sp);
    if (!calls)
      return calls.takeError();
    if (!*calls)
      return location::missing(
          "certain caller: there may have been tail calls");
  }
  if (MayTailCallItself(function))
    return location::missing(
        "certain call: the function may have called itself by a tail call");
  return call;
}

static DWARFDIE GetOrigin(const DWARFDIE &parameter) {
  DWARFDIE origin = parameter.GetReferencedDIE(dw::DW_AT_abstract_origin);
  return origin ? origin : parameter;
}

/// Whether both are entries of one parameter, of the function or an instance.
static bool IsSameParameter(const DWARFDIE &a, const DWARFDIE &b) {
  return a && b && GetOrigin(a) == GetOrigin(b);
}

/// The register that a call parameter's location names.
static std::optional<uint64_t> GetRegister(const DWARFDIE &parameter,
                                           const DWARFFormValue &value) {
  location::DecodeOptions options;
  options.AddressSize = parameter.GetCU()->GetAddressByteSize();
  const llvm::ArrayRef<uint8_t> place = GetBlock(value);
  llvm::Expected<location::Operation> op = location::decode(place, 0, options);
  if (!op) {
    llvm::consumeError(op.takeError());
    return std::nullopt;
  }
  if (op->End != place.size())
    return std::nullopt;
  if (op->Code >= dw::DW_OP_reg0 && op->Code <= dw::DW_OP_reg31)
    return op->Code - dw::DW_OP_reg0;
  if (op->Code == dw::DW_OP_regx)
    return op->Operands[0];
  return std::nullopt;
}

/// The expression of the value that a call passes in register \a number, or for
/// \a parameter; empty if the call doesn't describe it.
static llvm::ArrayRef<uint8_t> FindValue(const CallSite &site,
                                         std::optional<uint64_t> number,
                                         const DWARFDIE &parameter) {
  for (const DWARFDIE &child : site.die.children()) {
    if (child.Tag() != dw::DW_TAG_call_site_parameter &&
        child.Tag() != dw::DW_TAG_GNU_call_site_parameter)
      continue;
    llvm::ArrayRef<uint8_t> expression;
    bool is_it = false;
    DWARFAttributes attributes = child.GetAttributes(DWARFDIE::Recurse::no);
    for (size_t i = 0; i < attributes.Size(); ++i) {
      DWARFFormValue value;
      if (!attributes.ExtractFormValueAtIndex(i, value))
        continue;
      switch (attributes.AttributeAtIndex(i)) {
      case dw::DW_AT_location:
        is_it |= number && GetRegister(child, value) == number;
        break;
      case dw::DW_AT_call_parameter:
      case dw::DW_AT_abstract_origin:
        is_it |= parameter && IsSameParameter(value.Reference(), parameter);
        break;
      case dw::DW_AT_call_value:
      case dw::DW_AT_GNU_call_site_value:
        expression = GetBlock(value);
        break;
      default:
        break;
      }
    }
    if (is_it && !expression.empty())
      return expression;
  }
  return {};
}

llvm::Expected<CallerContext::PassedValue>
CallerContext::Evaluate(std::optional<uint64_t> number,
                        const DWARFDIE &parameter, const std::string &name) {
  if (m_callee.GetCallDepth() >= g_max_calls)
    return location::makeError(location::ErrorKind::Limit,
                               "a value is handed down by more than " +
                                   llvm::Twine(g_max_calls) + " callers");
  llvm::Expected<Call> call = FindCall(m_callee);
  if (!call)
    return call.takeError();
  const llvm::ArrayRef<uint8_t> expression =
      FindValue(call->site, number, parameter);
  if (expression.empty())
    return location::missing("value that " + name +
                             " had when the function was called");
  PassedValue passed;
  passed.context = m_callee.MakeCaller(*call->caller_sp, call->site.die);
  if (llvm::Error error =
          location::evaluate(expression, *passed.context,
                             location::ResultKind::Any,
                             passed.context->GetOptions(expression))
              .moveInto(passed.entry))
    return std::move(error);
  return passed;
}

llvm::Error CallerContext::readRegister(uint64_t number, uint64_t,
                                        uint64_t offset,
                                        llvm::MutableArrayRef<uint8_t> into) {
  llvm::Expected<PassedValue> passed = Evaluate(
      number, DWARFDIE(), getRegisterName(number).value_or("the register"));
  if (!passed)
    return passed.takeError();
  EvaluationContext &context = *passed->context;
  location::Entry &entry = passed->entry;
  // The parameter's value, which may be a float, or the location of a copy.
  if (!entry.IsValue && entry.Location.Kind != location::StorageKind::Memory) {
    if (llvm::Error error =
            entry.Location.move(context, location::BitCount(offset) * 8))
      return error;
    return entry.Location.read(context, location::BitCount(into.size()) * 8,
                               into);
  }
  llvm::Expected<location::Value> value = location::toValue(entry, context);
  if (!value)
    return value.takeError();
  if (offset > 8 || into.size() > 8 - offset)
    return location::failed("only the low eight bytes of a register on entry "
                            "are known");
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = uint8_t(value->Bits >> (8 * (offset + i)));
  return llvm::Error::success();
}

llvm::Expected<location::DieLocation>
CallerContext::getDie(location::DieReference reference) {
  StackFrameSP callee_sp = m_callee.GetFacts().GetFrame();
  const DWARFDIE function = callee_sp ? GetCodeDIE(*callee_sp) : DWARFDIE();
  uint64_t offset = reference.Offset;
  if (function && reference.From == location::DieReference::Unit)
    offset += function.GetCU()->GetOffset();
  const DWARFDIE parameter =
      function && offset <= DW_INVALID_OFFSET &&
              function.GetCU()->ContainsDIEOffset(dw_offset_t(offset))
          ? function.GetCU()->GetDIE(dw_offset_t(offset))
          : DWARFDIE();
  if (!parameter || parameter.Tag() != dw::DW_TAG_formal_parameter)
    return location::illFormed("there is no parameter at 0x" +
                               llvm::Twine::utohexstr(offset));
  llvm::Expected<PassedValue> passed =
      Evaluate(std::nullopt, parameter,
               parameter.GetName() ? parameter.GetName() : "the parameter");
  if (!passed)
    return passed.takeError();
  llvm::Expected<location::Value> value =
      location::toValue(passed->entry, *passed->context);
  if (!value)
    return value.takeError();
  m_parameter.resize(8);
  llvm::support::endian::write64le(m_parameter.data(), value->Bits);
  location::DieLocation result;
  result.ConstValue = m_parameter;
  return result;
}
