//===-- LaneAttributes.cpp --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneAttributes.h"
#include "FrameContext.h"
#include "FunctionEntry.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "wavelane/Location/Attributes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

namespace {
/// A function's attributes about lanes.
struct LaneAttributes {
  location::AttributeValue count, active, pcs;
};
} // namespace

static llvm::Expected<LaneAttributes> ReadAttributes(const DWARFDIE &die,
                                                     AttributeBytes &bytes) {
  LaneAttributes found;
  if (llvm::Error error = ForEachLaneAttribute(
          die,
          [&](location::LaneAttribute meaning,
              const DWARFFormValue &value) -> llvm::Error {
            location::AttributeValue *into =
                meaning == location::LaneAttribute::NumLanes     ? &found.count
                : meaning == location::LaneAttribute::ActiveLane ? &found.active
                : meaning == location::LaneAttribute::LanePC     ? &found.pcs
                                                                 : nullptr;
            // If there are several spellings of one attribute, the first
            // counts.
            if (!into || *into)
              return llvm::Error::success();
            return ReadAttribute(*die.GetCU(), value, bytes).moveInto(*into);
          }))
    return std::move(error);
  return found;
}

static bool IsFunction(const DWARFDIE &die) {
  return die.Tag() == llvm::dwarf::DW_TAG_subprogram ||
         die.Tag() == llvm::dwarf::DW_TAG_inlined_subroutine;
}

/// The innermost entry that contains the code of \a function at the program
/// location of \a context: one of its alternative entry points, or itself.
static DWARFDIE FindEntryPoint(const DWARFDIE &function,
                               FrameContext &context) {
  DWARFDIE found = function;
  uint64_t nearest = 0;
  for (DWARFDIE child : function.children()) {
    if (child.Tag() != llvm::dwarf::DW_TAG_entry_point)
      continue;
    const std::optional<uint64_t> pc = context.getProgramLocation();
    if (!pc)
      break;
    const uint64_t begin = child.GetAttributeValueAsAddress(
        llvm::dwarf::DW_AT_low_pc, LLDB_INVALID_ADDRESS);
    if (begin <= *pc && begin >= nearest) {
      nearest = begin;
      found = child;
    }
  }
  return found;
}

llvm::Expected<std::optional<LaneSet>>
lldb_private::wavelane::ReadLaneAttributes(StackFrame &frame) {
  // The attributes' expressions may ask for lanes, which in turn depend on
  // them.
  static thread_local bool t_reading = false;
  if (t_reading)
    return llvm::createStringError("the lane count depends on the lane");

  DWARFDIE die = GetFunctionDIE(frame);
  if (!die)
    return std::nullopt;
  ThreadSP thread_sp = frame.GetThread();
  FrameContext context(
      FrameFacts(*thread_sp->GetProcess(), thread_sp.get(), &frame, /*lane=*/0),
      die.GetModule(), die.GetCU(), die.GetCU()->GetAddressByteSize());
  llvm::SaveAndRestore<bool> reading(t_reading, true);
  // The code of an inlined function is part of its caller's code, which may be
  // widened: without attributes of its own, it has those of the function around
  // it.
  AttributeBytes bytes;
  LaneAttributes attributes;
  for (DWARFDIE around = die; around && !attributes.count;
       around = around.GetParent()) {
    if (!IsFunction(around))
      continue;
    die = around;
    for (const DWARFDIE &entry : {FindEntryPoint(around, context), around}) {
      if (attributes.count)
        break;
      llvm::Expected<LaneAttributes> found = ReadAttributes(entry, bytes);
      if (!found)
        return found.takeError();
      attributes = std::move(*found);
    }
  }
  if (!attributes.count)
    return std::nullopt;

  const location::EvaluationOptions options = context.GetOptions({});
  const char *name = die.GetName() ? die.GetName() : "the function";
  auto wrong = [&](const char *what, llvm::Error error) {
    return llvm::createStringError("%s of %s can't be evaluated: %s", what,
                                   name,
                                   llvm::toString(std::move(error)).c_str());
  };
  if (llvm::Error error =
          location::evaluateCount(attributes.count, context, options)
              .takeError())
    return wrong("the lane count", std::move(error));
  llvm::Expected<uint32_t> count = location::evaluateLaneCount(
      attributes.count, context, /*Default=*/1, options);
  // It can be evaluated: the attribute's value itself is invalid.
  if (!count)
    return llvm::createStringError("debug information gives %s %s", name,
                                   llvm::toString(count.takeError()).c_str());
  LaneSet lanes;
  lanes.count = *count;
  if (attributes.active && lanes.count > 1) {
    llvm::Expected<std::optional<llvm::BitVector>> active =
        location::evaluateActiveLanes(attributes.active, lanes.count, context,
                                      options);
    if (!active)
      return wrong("the active lanes", active.takeError());
    if (*active)
      lanes.active = std::move(**active);
  }
  if (attributes.pcs) {
    llvm::Expected<std::vector<std::optional<addr_t>>> pcs =
        location::evaluateLanePC(attributes.pcs, lanes.count, context, options);
    if (!pcs)
      return wrong("the lanes' places", pcs.takeError());
    lanes.pcs = std::move(*pcs);
  }
  return lanes;
}
