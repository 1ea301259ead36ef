//===-- LaneAttributes.cpp --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneAttributes.h"
#include "FrameContext.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
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

DWARFDIE lldb_private::wavelane::GetFunctionDIE(StackFrame &frame) {
  const SymbolContext &sc = frame.GetSymbolContext(
      eSymbolContextModule | eSymbolContextFunction | eSymbolContextBlock);
  if (!sc.module_sp || !sc.function)
    return {};
  SymbolFile *symbol_file = sc.module_sp->GetSymbolFile();
  if (!symbol_file)
    return {};
  auto *dwarf = llvm::dyn_cast_or_null<SymbolFileDWARF>(
      symbol_file->GetBackingSymbolFile());
  if (!dwarf)
    return {};
  if (frame.IsInlined() && sc.block)
    if (Block *inlined = sc.block->GetContainingInlinedBlock())
      if (DWARFDIE die = dwarf->GetDIE(inlined->GetID()))
        return die;
  return dwarf->GetDIE(sc.function->GetID());
}

namespace {

/// Evaluates attributes of one function at one frame.
class Reader {
public:
  Reader(StackFrame &frame, const DWARFDIE &die)
      : m_die(die),
        m_context(FrameFacts(*frame.GetThread()->GetProcess(),
                             frame.GetThread().get(), &frame, /*lane=*/0),
                  die.GetModule(), die.GetCU(),
                  die.GetCU()->GetAddressByteSize()) {}

  llvm::Expected<std::optional<uint64_t>>
  ReadCount(const DWARFFormValue &value);
  llvm::Expected<std::optional<llvm::BitVector>>
  ReadMask(const DWARFFormValue &value, uint32_t count);
  /// Load addresses.
  llvm::Expected<std::vector<std::optional<addr_t>>>
  ReadPCs(const DWARFFormValue &value, uint32_t count);

private:
  /// nullopt: the attribute is a list that says nothing at this place.
  llvm::Expected<std::optional<location::Entry>>
  Evaluate(const DWARFFormValue &value);

  const DWARFDIE &m_die;
  FrameContext m_context;
  std::deque<std::vector<uint8_t>> m_bytes;
};

llvm::Expected<std::optional<location::Entry>>
Reader::Evaluate(const DWARFFormValue &value) {
  llvm::ArrayRef<uint8_t> expression;
  if (DWARFFormValue::IsBlockForm(value.Form())) {
    expression = llvm::ArrayRef<uint8_t>(value.BlockData(), value.Unsigned());
  } else {
    llvm::Expected<std::vector<location::LocationListEntry>> entries =
        ReadLocationList(*m_die.GetCU(), value, m_bytes);
    if (!entries)
      return entries.takeError();
    const std::optional<uint64_t> pc = m_context.getProgramLocation();
    const location::LocationListEntry *match = nullptr;
    for (const location::LocationListEntry &entry : *entries) {
      if (entry.IsDefault || !pc || *pc < entry.Low || *pc >= entry.High)
        continue;
      // An object may be in two places, a number has one value.
      if (match && match->Expression != entry.Expression)
        return llvm::createStringError(
            "entries of its list overlap at this place");
      match = &entry;
    }
    for (const location::LocationListEntry &entry : *entries)
      if (entry.IsDefault && !match)
        match = &entry;
    if (!match)
      return std::nullopt;
    expression = match->Expression;
  }
  llvm::Expected<location::Entry> entry =
      location::evaluate(expression, m_context, location::ResultKind::Any,
                         m_context.GetOptions(expression));
  if (!entry)
    return entry.takeError();
  return std::move(*entry);
}

llvm::Expected<std::optional<uint64_t>>
Reader::ReadCount(const DWARFFormValue &value) {
  if (DWARFFormValue::IsDataForm(value.Form()) ||
      value.Form() == llvm::dwarf::DW_FORM_implicit_const)
    return value.Unsigned();
  llvm::Expected<std::optional<location::Entry>> entry = Evaluate(value);
  if (!entry)
    return entry.takeError();
  if (!*entry)
    return std::nullopt;
  if ((*entry)->IsValue)
    return (*entry)->Value.getUnsigned();
  // Also an implicit location may hold the number.
  const location::Location &place = (*entry)->Location;
  if (place.Kind != location::StorageKind::Implicit) {
    llvm::Expected<location::Value> number =
        location::toValue(**entry, m_context);
    if (!number)
      return number.takeError();
    return number->getUnsigned();
  }
  uint8_t bytes[8] = {};
  const size_t size = std::min<size_t>(place.getBytes().size(), 8);
  if (llvm::Error error =
          place.read(m_context, location::BitCount(size) * 8,
                     llvm::MutableArrayRef<uint8_t>(bytes, size)))
    return std::move(error);
  uint64_t count = 0;
  for (size_t i = 0; i < size; ++i)
    count |= uint64_t(bytes[i]) << (8 * i);
  return count;
}

llvm::Expected<std::optional<llvm::BitVector>>
Reader::ReadMask(const DWARFFormValue &value, uint32_t count) {
  llvm::Expected<std::optional<location::Entry>> entry = Evaluate(value);
  if (!entry)
    return entry.takeError();
  if (!*entry)
    return std::nullopt;
  llvm::BitVector mask(count);
  std::vector<uint8_t> bytes((count + 7) / 8);
  if ((*entry)->IsValue) {
    for (size_t i = 0; i < bytes.size() && i < 8; ++i)
      bytes[i] = uint8_t((*entry)->Value.getUnsigned() >> (8 * i));
  } else if (llvm::Error error =
                 (*entry)->Location.read(m_context, count, bytes)) {
    return std::move(error);
  }
  for (uint32_t lane = 0; lane < count; ++lane)
    if (bytes[lane / 8] >> (lane % 8) & 1)
      mask.set(lane);
  return mask;
}

llvm::Expected<std::vector<std::optional<addr_t>>>
Reader::ReadPCs(const DWARFFormValue &value, uint32_t count) {
  std::vector<std::optional<addr_t>> pcs;
  location::AttributeValue attribute;
  if (DWARFFormValue::IsBlockForm(value.Form())) {
    attribute.Expression =
        llvm::ArrayRef<uint8_t>(value.BlockData(), value.Unsigned());
  } else {
    llvm::Expected<std::vector<location::LocationListEntry>> entries =
        ReadLocationList(*m_die.GetCU(), value, m_bytes);
    if (!entries)
      return entries.takeError();
    attribute.List = std::move(*entries);
  }
  return location::evaluateLanePC(attribute, count, m_context,
                                  m_context.GetOptions({}));
}

} // namespace

/// Finds the lane count, the active lanes and the lanes' places among the
/// attributes of \a die.
static llvm::Error
FindLaneAttributes(const DWARFDIE &die,
                   std::optional<DWARFFormValue> &count_value,
                   std::optional<DWARFFormValue> &active_value,
                   std::optional<DWARFFormValue> &pc_value) {
  DWARFAttributes attributes = die.GetAttributes();
  std::optional<bool> is_amd;
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t code = attributes.AttributeAtIndex(i);
    // Standard attributes say nothing of lanes.
    if (code < llvm::dwarf::DW_AT_lo_user)
      continue;
    if (!is_amd)
      is_amd = IsAMDUnit(*die.GetCU());
    std::optional<DWARFFormValue> *value = nullptr;
    switch (location::getAttribute(
        uint16_t(code),
        location::getFormClass(uint16_t(attributes.FormAtIndex(i))), *is_amd)) {
    case location::LaneAttribute::NumLanes:
      value = &count_value;
      break;
    case location::LaneAttribute::ActiveLane:
      value = &active_value;
      break;
    case location::LaneAttribute::LanePC:
      value = &pc_value;
      break;
    default:
      break;
    }
    if (!value || *value)
      continue;
    DWARFFormValue form_value;
    if (!attributes.ExtractFormValueAtIndex(i, form_value))
      return llvm::createStringError("the lane count has an unreadable form");
    *value = form_value;
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<LaneSet>>
lldb_private::wavelane::ReadLaneAttributes(StackFrame &frame) {
  // Their expressions may ask for lanes, which depend on them.
  static thread_local bool t_reading = false;
  if (t_reading)
    return llvm::createStringError("the lane count depends on the lane");

  // The code of an inlined function is its caller's code, which may be the one
  // that was widened: what says nothing of lanes has those of the function
  // around it.
  std::optional<DWARFFormValue> count_value, active_value, pc_value;
  DWARFDIE die = GetFunctionDIE(frame);
  for (; die; die = die.GetParent()) {
    if (die.Tag() != llvm::dwarf::DW_TAG_subprogram &&
        die.Tag() != llvm::dwarf::DW_TAG_inlined_subroutine)
      continue;
    if (llvm::Error error =
            FindLaneAttributes(die, count_value, active_value, pc_value))
      return std::move(error);
    if (count_value)
      break;
  }
  if (!count_value)
    return std::nullopt;

  llvm::SaveAndRestore<bool> reading(t_reading, true);
  Reader reader(frame, die);
  const char *name = die.GetName() ? die.GetName() : "the function";
  llvm::Expected<std::optional<uint64_t>> count =
      reader.ReadCount(*count_value);
  if (!count)
    return llvm::createStringError(
        "the lane count of %s can't be evaluated: %s", name,
        llvm::toString(count.takeError()).c_str());
  LaneSet lanes;
  if (*count) {
    if (int64_t(**count) <= 0)
      return llvm::createStringError("debug information gives %s a lane count "
                                     "of %" PRId64 ", which must be above zero",
                                     name, int64_t(**count));
    if (**count > 4096)
      return llvm::createStringError("debug information gives %s a lane count "
                                     "of %" PRIu64
                                     ", more than any machine has",
                                     name, **count);
    lanes.count = uint32_t(**count);
  }
  if (active_value && lanes.count > 1) {
    llvm::Expected<std::optional<llvm::BitVector>> mask =
        reader.ReadMask(*active_value, lanes.count);
    if (!mask)
      return llvm::createStringError(
          "the active lanes of %s can't be evaluated: %s", name,
          llvm::toString(mask.takeError()).c_str());
    if (*mask)
      lanes.active = std::move(**mask);
  }
  if (pc_value) {
    llvm::Expected<std::vector<std::optional<addr_t>>> pcs =
        reader.ReadPCs(*pc_value, lanes.count);
    if (!pcs)
      return llvm::createStringError(
          "where the lanes of %s are can't be evaluated: %s", name,
          llvm::toString(pcs.takeError()).c_str());
    lanes.pcs = std::move(*pcs);
  }
  return lanes;
}
