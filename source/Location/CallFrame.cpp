//===-- CallFrame.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/CallFrame.h"
#include "LEB128.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

// The extension's instructions (A.6.4.2.2).
static constexpr uint8_t DefAspaceCFA = 0x30;
static constexpr uint8_t DefAspaceCFASf = 0x31;
// GNU's instruction, which has no name in LLVM.
static constexpr uint8_t GNUNegativeOffsetExtended = 0x2f;
// Limits for one entry; producers are far below.
static constexpr size_t MaxRemembered = 64;
static constexpr size_t MaxRegisters = 4096;
static constexpr size_t MaxRows = 1 << 16;

//===-- Reading -----------------------------------------------------------===//

namespace {
/// Reads from bytes that may be truncated anywhere; the first failure sticks.
struct Cursor {
  ArrayRef<uint8_t> Bytes;
  size_t At = 0;
  bool HasFailed = false;

  bool atEnd() const { return HasFailed || At >= Bytes.size(); }
  uint64_t fixed(unsigned Size) {
    if (HasFailed || Bytes.size() - At < Size) {
      HasFailed = true;
      return 0;
    }
    uint64_t V = 0;
    for (unsigned I = 0; I < Size; ++I)
      V |= uint64_t(Bytes[At + I]) << (8 * I);
    At += Size;
    return V;
  }
  uint64_t leb(bool IsSigned) {
    uint64_t V = 0;
    if (HasFailed || readLEB128(Bytes, At, IsSigned, V) != LEBStatus::Good)
      HasFailed = true;
    return V;
  }
  uint64_t uleb() { return leb(false); }
  int64_t sleb() { return int64_t(leb(true)); }
  ArrayRef<uint8_t> block(uint64_t Size) {
    if (HasFailed || Size > Bytes.size() - At) {
      HasFailed = true;
      return {};
    }
    ArrayRef<uint8_t> B = Bytes.slice(At, size_t(Size));
    At += size_t(Size);
    return B;
  }
  StringRef string() {
    const size_t Begin = At;
    while (At < Bytes.size() && Bytes[At])
      ++At;
    if (At >= Bytes.size()) {
      HasFailed = true;
      return {};
    }
    return StringRef(reinterpret_cast<const char *>(Bytes.data()) + Begin,
                     At++ - Begin);
  }
};
} // namespace

static Expected<CommonFrameInfo> readCommon(Cursor C, uint8_t AddressSize) {
  CommonFrameInfo Info;
  const uint8_t Version = uint8_t(C.fixed(1));
  if (Version != 1 && Version != 3 && Version != 4)
    return illFormed("call frame information of version " + Twine(Version));
  Info.Augmentation = C.string();
  Info.AddressSize = AddressSize;
  if (Version >= 4) {
    Info.AddressSize = uint8_t(C.fixed(1));
    if (C.fixed(1) != 0)
      return illFormed("call frame information with segment selectors");
  }
  if (Info.AddressSize != 4 && Info.AddressSize != 8)
    return illFormed("call frame information with addresses of " +
                     Twine(Info.AddressSize) + " bytes");
  // "eh", "z..." and similar ones have more fields; a vendor's bracketed text
  // has none.
  if (!Info.Augmentation.empty() && !Info.Augmentation.starts_with("["))
    return illFormed("unknown augmentation '" + Info.Augmentation +
                     "' of call frame information");
  Info.CodeAlignment = C.uleb();
  Info.DataAlignment = C.sleb();
  Info.ReturnAddress = Version == 1 ? C.fixed(1) : C.uleb();
  if (C.HasFailed)
    return illFormed("a common information entry is cut off");
  Info.Instructions = C.Bytes.drop_front(C.At);
  return Info;
}

Expected<std::vector<FrameDescription>>
wavelane::location::readFrameSection(ArrayRef<uint8_t> Section,
                                     uint8_t AddressSize) {
  struct Entry {
    uint64_t Common;
    Cursor Body;
  };
  std::map<uint64_t, CommonFrameInfo> Commons;
  std::vector<Entry> Entries;
  Cursor C{Section};
  while (!C.atEnd()) {
    const uint64_t Begin = C.At;
    unsigned OffsetSize = 4;
    uint64_t Length = C.fixed(4);
    if (Length == 0xffffffff) {
      OffsetSize = 8;
      Length = C.fixed(8);
    }
    Cursor Body{C.block(Length)};
    const uint64_t Id = Body.fixed(OffsetSize);
    if (C.HasFailed || Body.HasFailed)
      return illFormed("the call frame entry at " + Twine(Begin) +
                       " is cut off");
    Body = {Body.Bytes.drop_front(Body.At)};
    if (Id != (OffsetSize == 4 ? uint64_t(UINT32_MAX) : UINT64_MAX)) {
      Entries.push_back({Id, Body});
      continue;
    }
    Expected<CommonFrameInfo> Common = readCommon(Body, AddressSize);
    if (!Common)
      return Common.takeError();
    Commons.emplace(Begin, *Common);
  }
  std::vector<FrameDescription> Frames;
  for (Entry &E : Entries) {
    auto It = Commons.find(E.Common);
    if (It == Commons.end())
      return illFormed(
          "a frame description doesn't refer to a common information entry: " +
          Twine(E.Common));
    FrameDescription Frame;
    Frame.Common = It->second;
    Frame.Begin = E.Body.fixed(Frame.Common.AddressSize);
    Frame.Size = E.Body.fixed(Frame.Common.AddressSize);
    if (E.Body.HasFailed)
      return illFormed("a frame description is cut off");
    Frame.Instructions = E.Body.Bytes.drop_front(E.Body.At);
    Frames.push_back(Frame);
  }
  return Frames;
}

//===-- The table's rows --------------------------------------------------===//

namespace {
/// Executes call frame instructions.
class TableMachine {
public:
  TableMachine(const FrameDescription &Frame) : Frame(Frame) {}

  /// \param Found Called with each finished row; returns false to stop.
  Error run(function_ref<bool(const CallFrameRow &)> Found);

private:
  Error execute(ArrayRef<uint8_t> Instructions, bool IsInitial);
  Error instruction(Cursor &C, bool IsInitial);
  Error ruleInstruction(uint8_t Code, Cursor &C);
  Error cfaInstruction(uint8_t Code, Cursor &C);
  int64_t factored(int64_t N) const;
  Error setRule(uint64_t Register, RegisterRule Rule);
  Error restore(uint64_t Register, bool IsInitial);
  Error advanceTo(uint64_t Address);
  Error changeCFA(int64_t *Offset, uint64_t *Register);

  const FrameDescription &Frame;
  CallFrameRow Row;
  CallFrameRow Initial;
  std::vector<CallFrameRow> Remembered;
  function_ref<bool(const CallFrameRow &)> Found;
  size_t Rows = 0;
  bool IsDone = false;
};
} // namespace

Error TableMachine::setRule(uint64_t Register, RegisterRule Rule) {
  if (Row.Registers.size() >= MaxRegisters && !Row.Registers.count(Register))
    return makeError(ErrorKind::Limit, "call frame rules for more than " +
                                           Twine(MaxRegisters) + " registers");
  Row.Registers[Register] = Rule;
  return Error::success();
}

Error TableMachine::restore(uint64_t Register, bool IsInitial) {
  if (IsInitial)
    return illFormed("DW_CFA_restore in initial instructions");
  auto It = Initial.Registers.find(Register);
  if (It == Initial.Registers.end())
    Row.Registers.erase(Register);
  else
    return setRule(Register, It->second);
  return Error::success();
}

Error TableMachine::advanceTo(uint64_t Address) {
  if (Address < Row.Begin)
    return illFormed("call frame rows go backwards");
  if (Address == Row.Begin)
    return Error::success();
  if (++Rows > MaxRows)
    return makeError(ErrorKind::Limit,
                     "more than " + Twine(MaxRows) + " call frame rows");
  Row.End = Address;
  IsDone = !Found(Row);
  Row.Begin = Address;
  return Error::success();
}

/// Offset and register can only be changed if the CFA rule has them.
Error TableMachine::changeCFA(int64_t *Offset, uint64_t *Register) {
  if (Row.CFA.Kind != CallFrameAddressRule::RegisterOffset)
    return illFormed("a register or an offset is given to a CFA that is not "
                     "defined by them");
  if (Offset)
    Row.CFA.Offset = *Offset;
  if (Register)
    Row.CFA.Register = *Register;
  return Error::success();
}

int64_t TableMachine::factored(int64_t N) const {
  return int64_t(uint64_t(N) * uint64_t(Frame.Common.DataAlignment));
}

/// Instructions that give a register a rule.
Error TableMachine::ruleInstruction(uint8_t Code, Cursor &C) {
  using Rule = RegisterRule;
  switch (Code) {
  case DW_CFA_offset_extended: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::Offset, factored(int64_t(C.uleb())), 0, {}});
  }
  case DW_CFA_offset_extended_sf: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::Offset, factored(C.sleb()), 0, {}});
  }
  case GNUNegativeOffsetExtended: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::Offset,
                       int64_t(0 - uint64_t(factored(int64_t(C.uleb())))),
                       0,
                       {}});
  }
  case DW_CFA_val_offset: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::ValOffset, factored(int64_t(C.uleb())), 0, {}});
  }
  case DW_CFA_val_offset_sf: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::ValOffset, factored(C.sleb()), 0, {}});
  }
  case DW_CFA_undefined:
    return setRule(C.uleb(), {Rule::Undefined, 0, 0, {}});
  case DW_CFA_same_value:
    return setRule(C.uleb(), {Rule::SameValue, 0, 0, {}});
  case DW_CFA_register: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::Register, 0, C.uleb(), {}});
  }
  case DW_CFA_expression: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::Expression, 0, 0, C.block(C.uleb())});
  }
  case DW_CFA_val_expression: {
    const uint64_t R = C.uleb();
    return setRule(R, {Rule::ValExpression, 0, 0, C.block(C.uleb())});
  }
  default:
    return cfaInstruction(Code, C);
  }
}

/// Instructions that define the CFA.
Error TableMachine::cfaInstruction(uint8_t Code, Cursor &C) {
  auto DefineCFA = [&](uint64_t Register, int64_t Offset, uint64_t Space) {
    Row.CFA = {
        CallFrameAddressRule::RegisterOffset, Register, Offset, Space, {}};
    return Error::success();
  };
  switch (Code) {
  case DW_CFA_def_cfa: {
    const uint64_t R = C.uleb();
    return DefineCFA(R, int64_t(C.uleb()), 0);
  }
  case DW_CFA_def_cfa_sf: {
    const uint64_t R = C.uleb();
    return DefineCFA(R, factored(C.sleb()), 0);
  }
  case DefAspaceCFA: {
    const uint64_t R = C.uleb();
    const int64_t Offset = int64_t(C.uleb());
    return DefineCFA(R, Offset, C.uleb());
  }
  case DefAspaceCFASf: {
    const uint64_t R = C.uleb();
    const int64_t Offset = factored(C.sleb());
    return DefineCFA(R, Offset, C.uleb());
  }
  case DW_CFA_def_cfa_register: {
    uint64_t R = C.uleb();
    return changeCFA(nullptr, &R);
  }
  case DW_CFA_def_cfa_offset: {
    int64_t Offset = int64_t(C.uleb());
    return changeCFA(&Offset, nullptr);
  }
  case DW_CFA_def_cfa_offset_sf: {
    int64_t Offset = factored(C.sleb());
    return changeCFA(&Offset, nullptr);
  }
  case DW_CFA_def_cfa_expression:
    Row.CFA = {CallFrameAddressRule::Expression, 0, 0, 0, C.block(C.uleb())};
    return Error::success();
  default:
    return illFormed("unknown call frame instruction " + Twine(Code));
  }
}

Error TableMachine::instruction(Cursor &C, bool IsInitial) {
  auto Advance = [&](uint64_t Delta) {
    return advanceTo(Row.Begin + Delta * Frame.Common.CodeAlignment);
  };
  const uint8_t Code = uint8_t(C.fixed(1));
  const uint8_t Low = Code & 0x3f;
  switch (Code & 0xc0) {
  case DW_CFA_advance_loc:
    return Advance(Low);
  case DW_CFA_offset:
    return setRule(Low,
                   {RegisterRule::Offset, factored(int64_t(C.uleb())), 0, {}});
  case DW_CFA_restore:
    return restore(Low, IsInitial);
  }
  switch (Code) {
  case DW_CFA_nop:
    return Error::success();
  case DW_CFA_set_loc:
    return advanceTo(C.fixed(Frame.Common.AddressSize));
  case DW_CFA_advance_loc1:
    return Advance(C.fixed(1));
  case DW_CFA_advance_loc2:
    return Advance(C.fixed(2));
  case DW_CFA_advance_loc4:
    return Advance(C.fixed(4));
  case DW_CFA_restore_extended:
    return restore(C.uleb(), IsInitial);
  case DW_CFA_remember_state:
    if (Remembered.size() >= MaxRemembered)
      return makeError(ErrorKind::Limit, "more than " + Twine(MaxRemembered) +
                                             " remembered call frame states");
    Remembered.push_back(Row);
    return Error::success();
  case DW_CFA_restore_state: {
    if (Remembered.empty())
      return illFormed("DW_CFA_restore_state without a remembered state");
    const uint64_t Begin = Row.Begin;
    Row = std::move(Remembered.back());
    Row.Begin = Begin;
    Remembered.pop_back();
    return Error::success();
  }
  case DW_CFA_GNU_args_size:
    C.uleb();
    return Error::success();
  default:
    return ruleInstruction(Code, C);
  }
}

Error TableMachine::execute(ArrayRef<uint8_t> Instructions, bool IsInitial) {
  Cursor C{Instructions};
  while (!C.atEnd() && !IsDone) {
    if (Error E = instruction(C, IsInitial))
      return E;
    if (C.HasFailed)
      return illFormed("a call frame instruction is cut off");
  }
  return Error::success();
}

Error TableMachine::run(function_ref<bool(const CallFrameRow &)> Callback) {
  Row.Begin = Frame.Begin;
  // Rows begin with the description's own instructions.
  auto Own = [](const CallFrameRow &) { return true; };
  Found = Own;
  if (Error E = execute(Frame.Common.Instructions, /*IsInitial=*/true))
    return E;
  Row.Begin = Frame.Begin;
  Initial = Row;
  Found = Callback;
  if (Error E = execute(Frame.Instructions, /*IsInitial=*/false))
    return E;
  if (!IsDone && Row.Begin - Frame.Begin < Frame.Size) {
    Row.End = Frame.Begin + Frame.Size;
    Callback(Row);
  }
  return Error::success();
}

Expected<CallFrameRow>
wavelane::location::findRow(const FrameDescription &Frame, uint64_t PC) {
  if (PC < Frame.Begin || PC - Frame.Begin >= Frame.Size)
    return failed("the frame description does not cover that address");
  std::optional<CallFrameRow> Result;
  if (Error E = TableMachine(Frame).run([&](const CallFrameRow &Row) {
        if (PC < Row.Begin || PC >= Row.End)
          return true;
        Result = Row;
        return false;
      }))
    return std::move(E);
  if (!Result)
    return failed("the frame description has no row for that address");
  return std::move(*Result);
}

Expected<std::vector<CallFrameRow>>
wavelane::location::getRows(const FrameDescription &Frame) {
  std::vector<CallFrameRow> Rows;
  if (Error E = TableMachine(Frame).run([&](const CallFrameRow &Row) {
        Rows.push_back(Row);
        return true;
      }))
    return std::move(E);
  return Rows;
}

//===-- Unwinding ---------------------------------------------------------===//

Error wavelane::location::checkFrameExpression(ArrayRef<uint8_t> Expression,
                                               const DecodeOptions &Options) {
  for (size_t At = 0; At < Expression.size();) {
    Expected<Operation> Op = decode(Expression, At, Options);
    if (!Op)
      return Op.takeError();
    switch (Op->Code) {
    case DW_OP_addrx:
    case DW_OP_call2:
    case DW_OP_call4:
    case DW_OP_call_ref:
    case DW_OP_const_type:
    case DW_OP_constx:
    case DW_OP_convert:
    case DW_OP_deref_type:
    case DW_OP_fbreg:
    case DW_OP_implicit_pointer:
    case 0xf2: // DW_OP_GNU_implicit_pointer
    case OP_aspace_implicit_pointer:
    case DW_OP_regval_type:
    case DW_OP_reinterpret:
    case DW_OP_xderef_type:
    case DW_OP_push_object_address:
    case DW_OP_call_frame_cfa:
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
    case OP_push_lane:
    case OP_push_iteration:
    case OP_object_map:
      return illFormed(Twine(Op->Info->Name) +
                       " is not allowed in call frame information");
    default:
      break;
    }
    At = Op->End;
  }
  return Error::success();
}

/// The frame, without the facts that call frame information may not use.
class FrameUnwinder::FrameContext : public Context {
public:
  FrameContext(Context &Frame, FrameUnwinder &Unwinder)
      : Frame(Frame), Unwinder(Unwinder) {}
  unsigned getAddressSize() override { return Frame.getAddressSize(); }
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override {
    return Frame.getAddressSpace(Number);
  }
  std::optional<std::string> getRegisterName(uint64_t Number) override {
    return Frame.getRegisterName(Number);
  }
  Expected<uint64_t> getRegisterSize(uint64_t Number) override {
    return Frame.getRegisterSize(Number);
  }
  Error readRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                     MutableArrayRef<uint8_t> Into) override {
    return Frame.readRegister(Number, Thread, Offset, Into);
  }
  Error writeRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                      ArrayRef<uint8_t> From) override {
    return Frame.writeRegister(Number, Thread, Offset, From);
  }
  Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                   uint64_t Thread, uint64_t Address,
                   MutableArrayRef<uint8_t> Into) override {
    return Frame.readMemory(Space, Lane, Thread, Address, Into);
  }
  Error writeMemory(uint64_t Space, std::optional<uint32_t> Lane,
                    uint64_t Thread, uint64_t Address,
                    ArrayRef<uint8_t> From) override {
    return Frame.writeMemory(Space, Lane, Thread, Address, From);
  }
  uint64_t getThread() override { return Frame.getThread(); }
  Expected<Location> getThreadLocal(uint64_t Offset) override {
    return Frame.getThreadLocal(Offset);
  }
  Expected<uint64_t> getLoadAddress(uint64_t FileAddress) override {
    return Frame.getLoadAddress(FileAddress);
  }
  Expected<Location> getEntryRegister(uint64_t Number) override {
    return Unwinder.getRegister(Number);
  }

private:
  Context &Frame;
  FrameUnwinder &Unwinder;
};

FrameUnwinder::FrameUnwinder(const CallFrameRow &Row, Context &C,
                             bool KeepsRegisters,
                             const EvaluationOptions &Options)
    : Row(Row), C(C), KeepsRegisters(KeepsRegisters), Options(Options),
      Inside(std::make_unique<FrameContext>(C, *this)) {}
FrameUnwinder::~FrameUnwinder() = default;

Expected<Location> FrameUnwinder::getCallFrameAddress() {
  if (CFA)
    return *CFA;
  switch (Row.CFA.Kind) {
  case CallFrameAddressRule::None:
    return failed("the call frame information has no rule for the CFA here");
  case CallFrameAddressRule::Expression: {
    if (Error E = checkFrameExpression(Row.CFA.Block, Options.Decode))
      return std::move(E);
    if (IsFormingCFA)
      return illFormed("the rule of the CFA depends on itself");
    IsFormingCFA = true;
    Expected<Entry> E =
        evaluate(Row.CFA.Block, *Inside, ResultKind::Location, Options);
    IsFormingCFA = false;
    if (!E)
      return E.takeError();
    if (E->Location.Kind != StorageKind::Memory || E->Location.Offset % 8)
      return illFormed("the CFA is not memory: " + E->Location.describe(&C));
    CFA = E->Location;
    return *CFA;
  }
  case CallFrameAddressRule::RegisterOffset: {
    std::optional<AddressSpace> Space = C.getAddressSpace(Row.CFA.Space);
    if (!Space)
      return illFormed("address space " + Twine(Row.CFA.Space) +
                       " of the CFA does not exist");
    Expected<uint64_t> Size = C.getRegisterSize(Row.CFA.Register);
    if (!Size)
      return Size.takeError();
    uint8_t Buffer[8] = {};
    const size_t Bytes =
        std::min<uint64_t>(*Size, std::min(64u, Space->AddressBits) / 8);
    if (Error E = C.readRegister(Row.CFA.Register, C.getThread(), 0,
                                 MutableArrayRef<uint8_t>(Buffer, Bytes)))
      return std::move(E);
    uint64_t Address = 0;
    for (size_t I = 0; I < Bytes; ++I)
      Address |= uint64_t(Buffer[I]) << (8 * I);
    Address += uint64_t(Row.CFA.Offset);
    if (Space->AddressBits < 64)
      Address &= (uint64_t(1) << Space->AddressBits) - 1;
    Location L = Location::memory(Row.CFA.Space, Address);
    L.Thread = C.getThread();
    CFA = L;
    return L;
  }
  }
  llvm_unreachable("a kind of rule");
}

Expected<Location> FrameUnwinder::getRegister(uint64_t Number) {
  auto In = [&](uint64_t R) {
    Location L = Location::reg(R);
    L.Thread = C.getThread();
    return L;
  };
  auto It = Row.Registers.find(Number);
  if (It == Row.Registers.end())
    return KeepsRegisters ? In(Number) : Location::undefined();
  const RegisterRule &Rule = It->second;
  switch (Rule.Kind) {
  case RegisterRule::Undefined:
    return Location::undefined();
  case RegisterRule::SameValue:
    return In(Number);
  case RegisterRule::Register:
    return In(Rule.Other);
  case RegisterRule::Offset:
  case RegisterRule::ValOffset: {
    Expected<Location> L = getCallFrameAddress();
    if (!L)
      return L.takeError();
    if (Error E = L->move(C, BitCount(Rule.Distance) * 8))
      return std::move(E);
    if (Rule.Kind == RegisterRule::Offset)
      return L;
    std::optional<AddressSpace> Space = C.getAddressSpace(L->Number);
    const unsigned Size = Space ? Space->AddressBits / 8 : C.getAddressSize();
    uint8_t Buffer[8];
    for (unsigned I = 0; I < 8; ++I)
      Buffer[I] = uint8_t(uint64_t(L->Offset / 8) >> (8 * I));
    return Location::implicit(ArrayRef<uint8_t>(Buffer, std::min(8u, Size)));
  }
  case RegisterRule::Expression:
  case RegisterRule::ValExpression: {
    if (is_contained(Active, Number))
      return illFormed("the rule of register " + Twine(Number) +
                       " depends on itself");
    if (Active.size() >= Options.MaxDepth)
      return makeError(ErrorKind::Limit,
                       "call frame rules are nested too deeply");
    if (Error E = checkFrameExpression(Rule.Block, Options.Decode))
      return std::move(E);
    Expected<Location> Initial = getCallFrameAddress();
    if (!Initial)
      return Initial.takeError();
    const bool IsValue = Rule.Kind == RegisterRule::ValExpression;
    Active.push_back(Number);
    Expected<Entry> E = evaluate(
        Rule.Block, *Inside, IsValue ? ResultKind::Value : ResultKind::Location,
        Options, {Entry(*Initial)});
    Active.pop_back();
    if (!E)
      return E.takeError();
    if (!IsValue)
      return E->Location;
    // As wide as the register, if its size is known.
    Expected<uint64_t> Size = C.getRegisterSize(Number);
    if (!Size)
      consumeError(Size.takeError());
    std::vector<uint8_t> Bytes(Size ? std::min<uint64_t>(*Size, 64) : 8);
    for (size_t I = 0; I < Bytes.size() && I < 8; ++I)
      Bytes[I] = uint8_t(E->Value.Bits >> (8 * I));
    return Location::implicit(Bytes);
  }
  }
  llvm_unreachable("a kind of rule");
}
