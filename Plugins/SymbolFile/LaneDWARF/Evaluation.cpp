//===-- Evaluation.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluation.h"
#include "ArrayBounds.h"
#include "Core/Lane/LaneFocus.h"
#include "LocationObject.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

//===----------------------------------------------------------------------===//
// Variables.

static Variable *FindVariable(const FrameContext &context,
                              const lldb_private::DataExtractor &expression) {
  const FrameFacts &facts = context.GetFacts();
  StackFrameSP frame_sp = facts.GetFrame();
  if (!frame_sp)
    return nullptr;
  // LLDB updates the context of a frame that is found again, which reading a
  // register may lead to.
  Function *function =
      frame_sp->GetSymbolContext(eSymbolContextFunction).function;
  VariableList *variables =
      frame_sp->GetVariableList(/*get_file_globals=*/false, nullptr);
  if (!function || !variables)
    return nullptr;
  llvm::Expected<uint64_t> pc = facts.GetPC();
  if (!pc) {
    llvm::consumeError(pc.takeError());
    return nullptr;
  }
  const addr_t load_pc =
      GetProgramLocation(*frame_sp, facts.GetLane()).value_or(*pc);
  const addr_t function_address =
      function->GetAddress().GetLoadAddress(&facts.GetProcess()->GetTarget());
  lldb_private::DataExtractor data;
  for (size_t i = 0; i < variables->GetSize(); ++i) {
    Variable *variable = variables->GetVariableAtIndex(i).get();
    // Lists have their own copies of expressions.
    if (variable->LocationExpressionList().GetExpressionData(
            data, function_address, load_pc) &&
        data.GetDataStart() == expression.GetDataStart() &&
        data.GetByteSize() == expression.GetByteSize())
      return variable;
  }
  return nullptr;
}

Variable *VariableOfExpression::Get() {
  if (!m_variable)
    m_variable = FindVariable(m_context, m_expression);
  return *m_variable;
}

/// The expressions that hold at the program location, for a location list with
/// overlapping entries; otherwise only \a expression.
static llvm::SmallVector<llvm::ArrayRef<uint8_t>, 1>
FindExpressions(FrameContext &context,
                const lldb_private::DataExtractor &expression,
                const std::vector<location::LocationListEntry> *overlapping) {
  llvm::SmallVector<llvm::ArrayRef<uint8_t>, 1> found;
  std::optional<uint64_t> pc;
  if (overlapping)
    pc = context.getProgramLocation();
  if (pc)
    for (const location::LocationListEntry &entry : *overlapping)
      if (!entry.IsDefault && *pc >= entry.Low && *pc < entry.High)
        found.push_back(entry.Expression);
  if (found.empty())
    found.push_back(expression.GetData());
  return found;
}

/// Whether LLDB shows the variable's parts, which it reads and writes by
/// address.
static bool HasParts(Variable *variable) {
  Type *type = variable ? variable->GetType() : nullptr;
  if (!type)
    return false;
  const CompilerType compiler_type = type->GetForwardCompilerType();
  const uint32_t info = compiler_type.GetTypeInfo();
  return (info &
          (eTypeHasChildren | eTypeIsVector | eTypeIsComplex | eTypeIsFloat)) &&
         !(info & (eTypeIsPointer | eTypeIsReference));
}

//===----------------------------------------------------------------------===//
// Places.

static bool IsUndefined(const location::Location &place) {
  if (place.Kind == location::StorageKind::Undefined)
    return true;
  if (place.Kind != location::StorageKind::Composite)
    return false;
  const auto &storage = place.getComposite();
  if (!storage)
    return true;
  for (const auto &part : storage->Parts)
    if (part.Place.Kind != location::StorageKind::Undefined)
      return false;
  return true;
}

static Value MakeAddress(addr_t address, Value::ValueType type) {
  Value value{Scalar(address)};
  value.SetValueType(type);
  return value;
}

/// A general register, in LLDB's own form: it shows the register's name, and
/// compiled expressions use a copy. nullopt for other places.
static std::optional<Value> MakeRegister(const FrameContext &context,
                                         const location::Location &place,
                                         Variable *variable) {
  if (place.Kind != location::StorageKind::Register || place.Offset != 0 ||
      place.Number > UINT32_MAX || context.GetFacts().IsGPU())
    return std::nullopt;
  StackFrameSP frame_sp = context.GetFacts().GetFrame();
  RegisterContextSP registers_sp =
      frame_sp ? frame_sp->GetRegisterContext() : nullptr;
  const RegisterInfo *info =
      registers_sp ? registers_sp->GetRegisterInfo(eRegisterKindDWARF,
                                                   uint32_t(place.Number))
                   : nullptr;
  RegisterValue bits;
  Value value;
  if (!info || info->byte_size > 8 ||
      (info->encoding != eEncodingUint && info->encoding != eEncodingSint) ||
      !registers_sp->ReadRegister(info, bits) ||
      !bits.GetScalarValue(value.GetScalar()))
    return std::nullopt;
  // The bits above a small number are anything.
  if (Type *type = variable ? variable->GetType() : nullptr) {
    const CompilerType compiler_type = type->GetForwardCompilerType();
    const uint64_t size =
        llvm::expectedToOptional(compiler_type.GetByteSize(nullptr))
            .value_or(0);
    // LLDB's IsSigned doesn't know enumerations.
    bool is_signed = false;
    compiler_type.IsIntegerOrEnumerationType(is_signed);
    if (size && size < info->byte_size) {
      value.GetScalar().TruncOrExtendTo(uint16_t(8 * size), is_signed);
      // As LLDB reads such a number from memory: promoted.
      if (size < 4)
        value.GetScalar().TruncOrExtendTo(32, is_signed);
    }
  }
  value.SetValueType(Value::ValueType::Scalar);
  value.SetContext(Value::ContextType::RegisterInfo,
                   const_cast<RegisterInfo *>(info));
  return value;
}

/// A copy of the bytes that LLDB owns, if there is no process with a window.
static llvm::Expected<Value> MakeCopy(FrameContext &context,
                                      const location::Location &place) {
  llvm::Expected<std::optional<location::BitCount>> bits =
      place.getStorageSize(context);
  if (!bits)
    return bits.takeError();
  if (!*bits || **bits - place.Offset > 8 * 65536)
    return location::failed("it has no address: " + place.describe(&context));
  std::vector<uint8_t> bytes(size_t((**bits - place.Offset + 7) / 8));
  if (llvm::Error error = place.read(context, **bits - place.Offset, bytes))
    return std::move(error);
  return Value(bytes.data(), int(bytes.size()));
}

static llvm::Expected<Value>
MakeValue(const std::shared_ptr<FrameContext> &context,
          const location::Location &place, VariableOfExpression &variable) {
  if (IsUndefined(place))
    return llvm::createStringError(
        "no location, value may have been optimized out");
  ProcessSP process_sp = context->GetFacts().GetProcess();
  const bool is_memory = place.Kind == location::StorageKind::Memory &&
                         place.Offset >= 0 && place.Offset % 8 == 0;
  if (is_memory && (context->HasUsedFileAddress() || !process_sp))
    return MakeAddress(uint64_t(place.Offset / 8),
                       context->HasUsedFileAddress()
                           ? Value::ValueType::FileAddress
                           : Value::ValueType::LoadAddress);
  if (!is_memory && !HasParts(variable.Get()))
    if (std::optional<Value> value =
            MakeRegister(*context, place, variable.Get()))
      return *value;
  if (!is_memory && !dynamic_cast<LaneOwner *>(process_sp.get()))
    return MakeCopy(*context, place);
  Type *type =
      is_memory || !variable.Get() ? nullptr : variable.Get()->GetType();
  llvm::Expected<addr_t> address = GetAddress(
      context, place, type ? type->GetForwardCompilerType() : CompilerType());
  if (!address)
    return address.takeError();
  return MakeAddress(*address, Value::ValueType::LoadAddress);
}

namespace {
/// What a value knows of its children.
class KnownChildren : public ValueObject {
public:
  static void Forget(ValueObject &value) {
    (value.*(&KnownChildren::m_children)).Clear();
    (value.*(&KnownChildren::m_flags)).m_children_count_valid = false;
    (value.*(&KnownChildren::m_synthetic_children)).clear();
    value.SetDerefValobj(nullptr);
  }
};
} // namespace

/// Whether objects of \a type lead to arrays without a constant bound.
static bool HasUnboundedRows(CompilerType type) {
  while (type) {
    bool is_incomplete = false;
    CompilerType element;
    if (type.IsArrayType(&element, nullptr, &is_incomplete)) {
      if (is_incomplete)
        return true;
      type = element;
    } else {
      type = type.IsPointerOrReferenceType() ? type.GetPointeeType()
                                             : CompilerType();
    }
  }
  return false;
}

/// LLDB keeps a frame's values, with the number and the places of their
/// children, for the next call that has a frame in its place. There an array's
/// bounds may be others.
static void ForgetRows(const FrameContext &context, Variable *variable) {
  StackFrameSP frame_sp = context.GetFacts().GetFrame();
  Type *type = variable ? variable->GetType() : nullptr;
  if (!frame_sp || !type || !HasUnboundedRows(type->GetForwardCompilerType()))
    return;
  if (ValueObjectSP value_sp = frame_sp->GetValueObjectForFrameVariable(
          variable->shared_from_this(), eNoDynamicValues))
    KnownChildren::Forget(*value_sp);
}

/// The elements' location for an array whose own attributes say where they are.
static llvm::Expected<location::Location>
FindElements(FrameContext &context, Variable *variable,
             const location::Location &place) {
  SymbolFile *symbols = variable ? variable->GetSymbolContextScope()
                                       ->CalculateSymbolContextModule()
                                       ->GetSymbolFile()
                                 : nullptr;
  auto *dwarf = llvm::dyn_cast_or_null<SymbolFileDWARF>(
      symbols ? symbols->GetBackingSymbolFile() : nullptr);
  std::optional<ArrayBounds> bounds;
  if (dwarf)
    bounds = ArrayBounds::Find(dwarf->GetDIE(variable->GetID()));
  if (!bounds)
    return place;
  return bounds->FindElements(context, place);
}

llvm::Expected<Value> lldb_private::wavelane::EvaluateToValue(
    const std::shared_ptr<FrameContext> &context,
    const lldb_private::DataExtractor &expression, const VariableLists &lists,
    const Value *initial, const lldb_private::DataExtractor *listed) {
  VariableOfExpression variable(*context, listed ? *listed : expression);
  const std::vector<location::LocationListEntry> *overlapping =
      lists.HasOverlapping() && variable.Get()
          ? lists.FindOverlapping(*variable.Get())
          : nullptr;
  llvm::SmallVector<location::Entry, 1> stack;
  if (initial)
    stack.emplace_back(location::Location::memory(
        eSpaceGlobal, initial->GetScalar().ULongLong()));
  std::vector<location::Location> places;
  llvm::Error first_error = llvm::Error::success();
  bool has_found = false;
  for (llvm::ArrayRef<uint8_t> bytes :
       FindExpressions(*context, expression, overlapping)) {
    llvm::Expected<location::Entry> entry =
        location::evaluate(bytes, *context, location::ResultKind::Location,
                           context->GetOptions(bytes), stack);
    if (entry) {
      has_found = true;
      places.push_back(std::move(entry->Location));
      continue;
    }
    // If one of its places is missing, an object can be read but not written.
    places.push_back(location::Location::undefined());
    if (first_error)
      llvm::consumeError(entry.takeError());
    else
      first_error = entry.takeError();
  }
  if (!has_found)
    return std::move(first_error);
  llvm::consumeError(std::move(first_error));
  location::Location place = location::Location::multi(std::move(places));
  if (lists.HasArrays()) {
    ForgetRows(*context, variable.Get());
    if (llvm::Error error =
            FindElements(*context, variable.Get(), place).moveInto(place))
      return std::move(error);
  }
  return MakeValue(context, place, variable);
}
