//===-- LaneAttributes.cpp ------------------------------------*- C++ -*-===//

#include "LaneAttributes.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpression.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Target.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// The spellings of the lane count: ours for DWARF 6's DW_AT_num_lanes, which has
/// no number yet; DW_AT_LLVM_lanes as LLVM 22, the AMD text and an LLVM review
/// number it.
static bool IsLaneCount(uint32_t attribute) {
  return attribute == 0x3ec0 || attribute == 0x3e11 || attribute == 0x3e0a ||
         attribute == 0x3f0a;
}

DWARFDIE wavelane::GetFunctionDIE(StackFrame &frame) {
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

/// The expression of an attribute at the frame's program counter; an empty list
/// entry means that the list says nothing there.
static llvm::Expected<std::optional<uint64_t>>
EvaluateAttribute(StackFrame &frame, const DWARFDIE &die,
                  const DWARFFormValue &value) {
  if (DWARFFormValue::IsDataForm(value.Form()) ||
      value.Form() == llvm::dwarf::DW_FORM_implicit_const)
    return value.Unsigned();

  ExecutionContext exe_ctx(frame.shared_from_this());
  ModuleSP module_sp = die.GetModule();
  DWARFExpressionList list(module_sp, DWARFExpression(), die.GetCU());
  addr_t function_load_addr = LLDB_INVALID_ADDRESS;
  if (DWARFFormValue::IsBlockForm(value.Form())) {
    const DWARFDataExtractor &data = die.GetData();
    list = DWARFExpressionList(
        module_sp,
        DataExtractor(data, value.BlockData() - data.GetDataStart(),
                      value.Unsigned()),
        die.GetCU());
  } else {
    DataExtractor data = die.GetCU()->GetLocationData();
    dw_offset_t offset = value.Unsigned();
    if (value.Form() == llvm::dwarf::DW_FORM_loclistx)
      offset = die.GetCU()->GetLoclistOffset(offset).value_or(-1);
    if (!data.ValidOffset(offset))
      return llvm::createStringError(
          "the lane count's location list lies outside its section");
    list.Clear();
    data = DataExtractor(data, offset, data.GetByteSize() - offset);
    const SymbolContext &sc = frame.GetSymbolContext(eSymbolContextFunction);
    if (!DWARFExpression::ParseDWARFLocationList(die.GetCU(), data, &list))
      return llvm::createStringError(
          "the lane count's location list is malformed");
    const Address &base = sc.function->GetAddressRange().GetBaseAddress();
    list.SetFuncFileAddress(base.GetFileAddress());
    function_load_addr = base.GetLoadAddress(exe_ctx.GetTargetPtr());
    const addr_t pc =
        frame.GetFrameCodeAddressForSymbolication().GetLoadAddress(
            exe_ctx.GetTargetPtr());
    if (!list.GetExpressionAtAddress(function_load_addr, pc))
      return std::nullopt;
  }
  llvm::Expected<Value> result = list.Evaluate(
      &exe_ctx, nullptr, function_load_addr, nullptr, nullptr);
  if (!result)
    return result.takeError();
  // A count may be given as a value or as an implicit location.
  if (result->GetValueType() == Value::ValueType::HostAddress) {
    DataExtractor data(result->GetBuffer().GetBytes(),
                       result->GetBuffer().GetByteSize(), eByteOrderLittle, 8);
    offset_t offset = 0;
    if (data.GetByteSize() == 0 || data.GetByteSize() > 8)
      return llvm::createStringError("the lane count is no number");
    return data.GetMaxU64(&offset, data.GetByteSize());
  }
  return result->GetScalar().ULongLong();
}

llvm::Expected<std::optional<LaneSet>>
wavelane::ReadLaneAttributes(StackFrame &frame) {
  DWARFDIE die = GetFunctionDIE(frame);
  if (!die)
    return std::nullopt;
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    if (!IsLaneCount(attributes.AttributeAtIndex(i)))
      continue;
    DWARFFormValue form_value;
    if (!attributes.ExtractFormValueAtIndex(i, form_value))
      return llvm::createStringError("the lane count has an unreadable form");
    // Its expression may ask for the lane, which depends on the count.
    static thread_local bool t_evaluating = false;
    if (t_evaluating)
      return llvm::createStringError("the lane count of %s depends on the lane",
                                     die.GetName());
    llvm::SaveAndRestore<bool> evaluating(t_evaluating, true);
    llvm::Expected<std::optional<uint64_t>> count =
        EvaluateAttribute(frame, die, form_value);
    if (!count)
      return llvm::createStringError(
          "the lane count of %s can't be evaluated: %s", die.GetName(),
          llvm::toString(count.takeError()).c_str());
    LaneSet lanes;
    if (*count) {
      if (int64_t(**count) <= 0)
        return llvm::createStringError(
            "debug information gives %s a lane count of %" PRId64
            ", which must be above zero",
            die.GetName(), int64_t(**count));
      if (**count > 4096)
        return llvm::createStringError(
            "debug information gives %s a lane count of %" PRIu64
            ", more than any machine has",
            die.GetName(), **count);
      lanes.count = uint32_t(**count);
    }
    lanes.active.resize(lanes.count, true);
    return lanes;
  }
  return std::nullopt;
}
