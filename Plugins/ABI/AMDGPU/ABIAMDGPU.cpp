//===-- ABIAMDGPU.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ABIAMDGPU.h"

#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/Wave.h"
#include "Core/Lane/WindowAddress.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Value.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/ValueObject/ValueObjectConstResult.h"
#include "wavelane/GPU/CallingConvention.h"
#include "llvm/ADT/StringSwitch.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void ABIAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Calling convention of AMD GPU code.",
                                CreateInstance);
}

ABISP ABIAMDGPU::CreateInstance(ProcessSP process_sp, const ArchSpec &arch) {
  if (arch.GetTriple().getArch() != llvm::Triple::amdgcn)
    return nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers = MakeMCRegisterInfo(arch);
  if (!registers)
    return nullptr;
  return ABISP(new ABIAMDGPU(process_sp, std::move(registers)));
}

Status ABIAMDGPU::SetReturnValueObject(StackFrameSP &frame_sp,
                                       ValueObjectSP &new_value) {
  // UnwindAMDGPU::ReturnFrom leaves a wave's frames.
  Status error;
  error = Status::FromErrorString(
      "the calling convention isn't enough to leave a wave's frame");
  return error;
}

bool ABIAMDGPU::IsCalleeSaved(llvm::StringRef name) {
  unsigned number;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, number))
    return false;
  return ::wavelane::gpu::isCalleeSaved(name.front(), number);
}

bool ABIAMDGPU::RegisterIsVolatile(const RegisterInfo *reg_info) {
  return !reg_info || !IsCalleeSaved(reg_info->name);
}

uint32_t ABIAMDGPU::GetGenericNum(llvm::StringRef reg) {
  return llvm::StringSwitch<uint32_t>(reg)
      .Case("pc", LLDB_REGNUM_GENERIC_PC)
      .Case("s32", LLDB_REGNUM_GENERIC_SP)
      .Case("s33", LLDB_REGNUM_GENERIC_FP)
      .Default(LLDB_INVALID_REGNUM);
}

void ABIAMDGPU::AugmentRegisterInfo(
    std::vector<DynamicRegisterInfo::Register> &regs) {
  // The server sends DWARF numbers, because they depend on the wave's size.
  for (DynamicRegisterInfo::Register &reg : regs)
    if (reg.regnum_generic == LLDB_INVALID_REGNUM)
      reg.regnum_generic = GetGenericNum(reg.name.GetStringRef());
}

using Part = Passing::Part;

// Clang returns a struct in registers if it needs at most this many, by clang's
// count.
static constexpr uint64_t kMaxResultRegisters = 16;
// The code generator returns anything in registers if there are enough.
static constexpr uint64_t kMaxParts = 32;
// No result is larger, since it must fit a lane's stack.
static constexpr uint64_t kMaxResultSize = 128 * 1024;

/// The number of registers of a result as counted by clang, to decide between
/// registers and memory: arrays are packed, fields aren't.
static uint64_t CountRegisters(CompilerType type, Thread &thread) {
  type = type.GetCanonicalType();
  const TypeClass kind = type.GetTypeClass();
  uint64_t count = 0;
  if (kind != eTypeClassStruct && kind != eTypeClassClass)
    return (llvm::expectedToOptional(type.GetByteSize(&thread)).value_or(0) +
            3) /
           4;
  for (uint32_t i = 0, e = type.GetNumFields(); i < e; ++i) {
    std::string name;
    count += CountRegisters(
        type.GetFieldAtIndex(i, name, nullptr, nullptr, nullptr), thread);
  }
  return count;
}

/// Whether \a type ends with an array without a size.
static bool HasFlexibleArray(CompilerType type) {
  const uint32_t count = type.GetNumFields();
  if (!count)
    return false;
  std::string name;
  bool is_incomplete = false;
  return type.GetFieldAtIndex(count - 1, name, nullptr, nullptr, nullptr)
             .IsArrayType(nullptr, nullptr, &is_incomplete) &&
         is_incomplete;
}

/// Whether the caller provides memory for a result of \a type.
static bool ReturnsInMemory(CompilerType type, uint64_t size, Thread &thread) {
  type = type.GetCanonicalType();
  const TypeClass kind = type.GetTypeClass();
  if (kind != eTypeClassStruct && kind != eTypeClassClass &&
      kind != eTypeClassUnion)
    return false;
  auto types = type.GetTypeSystem();
  if ((types && !types->CanPassInRegisters(type)) || HasFlexibleArray(type))
    return true;
  return size > 8 && CountRegisters(type, thread) > kMaxResultRegisters;
}

/// LLDB doesn't print a value with an error, so also warn the user.
static ValueObjectSP Refuse(Thread &thread, const std::string &text) {
  Debugger::ReportWarning(text,
                          thread.CalculateTarget()->GetDebugger().GetID());
  return ValueObjectConstResult::Create(&thread, Status(text));
}

static ValueObjectSP ReadResultInMemory(Thread &thread, Wave &wave,
                                        CompilerType type, uint64_t size) {
  const uint32_t lane = GetFocusLane(thread);
  std::optional<uint32_t> address = wave.GetResultAddress(lane);
  if (!address)
    return Refuse(
        thread,
        "the function's result is in memory, at a place that was no longer "
        "known when the step began: finish from the function's beginning");
  ProcessSP process_sp = thread.GetProcess();
  auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
  auto data_sp = std::make_shared<DataBufferHeap>(size, 0);
  Status error;
  if (!memory || memory->ReadAddressSpace(
                     thread.GetProtocolID(), lane, eSpacePrivateLane, *address,
                     data_sp->GetBytes(), size, error) != size)
    return ValueObjectConstResult::Create(&thread, std::move(error));
  DataExtractor data(data_sp, eByteOrderLittle, 8);
  return ValueObjectConstResult::Create(&thread, type, ConstString(""), data);
}

static bool GetParts(CompilerType type, uint64_t offset, Thread &thread,
                     std::vector<Part> &parts);

/// Padding that the compiler adds to a struct is passed byte by byte.
static void AddPadding(uint64_t begin, uint64_t end, std::vector<Part> &parts) {
  for (; begin < end && parts.size() <= kMaxParts; ++begin)
    parts.push_back({begin, 1});
}

static uint64_t GetAlignment(CompilerType type, Thread &thread) {
  return std::max<uint64_t>(type.GetTypeBitAlign(&thread).value_or(8) / 8, 1);
}

/// A union is passed as its most aligned member, the largest of these; the rest
/// is padding.
static bool GetPartsOfUnion(CompilerType type, uint64_t size, uint64_t offset,
                            Thread &thread, std::vector<Part> &parts) {
  CompilerType chosen;
  uint64_t chosen_alignment = 0, chosen_size = 0;
  for (uint32_t i = 0, e = type.GetNumFields(); i < e; ++i) {
    std::string name;
    bool is_bitfield = false;
    CompilerType field =
        type.GetFieldAtIndex(i, name, nullptr, nullptr, &is_bitfield);
    const uint64_t alignment = GetAlignment(field, thread);
    const uint64_t field_size =
        llvm::expectedToOptional(field.GetByteSize(&thread)).value_or(0);
    if (is_bitfield)
      return false;
    if (alignment > chosen_alignment ||
        (alignment == chosen_alignment && field_size > chosen_size)) {
      chosen = field;
      chosen_alignment = alignment;
      chosen_size = field_size;
    }
  }
  if (!chosen || !GetParts(chosen, offset, thread, parts))
    return false;
  AddPadding(offset + chosen_size, offset + size, parts);
  return true;
}

static bool IsClass(CompilerType type) {
  const TypeClass kind = type.GetCanonicalType().GetTypeClass();
  return kind == eTypeClassStruct || kind == eTypeClassClass ||
         kind == eTypeClassUnion;
}

static bool IsEmptyClass(CompilerType type) {
  return type.GetNumFields() == 0 && type.GetNumDirectBaseClasses() == 0;
}

/// Fields and base classes, in the order of memory.
static bool GetPartsOfStruct(CompilerType type, uint64_t size, uint64_t offset,
                             Thread &thread, std::vector<Part> &parts) {
  struct Member {
    uint64_t offset, size, alignment;
    CompilerType type;
  };
  std::vector<Member> members;
  auto add = [&](CompilerType member, uint64_t bit_offset) {
    members.push_back(
        {bit_offset / 8,
         llvm::expectedToOptional(member.GetByteSize(&thread)).value_or(0),
         GetAlignment(member, thread), member});
  };
  if (type.IsPolymorphicClass() || type.GetNumVirtualBaseClasses())
    return false;
  for (uint32_t i = 0, e = type.GetNumDirectBaseClasses(); i < e; ++i) {
    uint32_t bit_offset = 0;
    CompilerType base = type.GetDirectBaseClassAtIndex(i, &bit_offset);
    if (!IsEmptyClass(base))
      add(base, bit_offset);
  }
  for (uint32_t i = 0, e = type.GetNumFields(); i < e; ++i) {
    std::string name;
    uint64_t bit_offset = 0;
    bool is_bitfield = false;
    CompilerType field =
        type.GetFieldAtIndex(i, name, &bit_offset, nullptr, &is_bitfield);
    // The integers that contain bit-fields aren't known.
    if (is_bitfield)
      return false;
    // What has no data is padding.
    const bool is_empty = IsClass(field) && IsEmptyClass(field);
    if (!is_empty)
      add(field, bit_offset);
  }
  llvm::sort(members, [](const Member &a, const Member &b) {
    return a.offset < b.offset;
  });
  const bool is_packed = size % GetAlignment(type, thread) ||
                         llvm::any_of(members, [](const Member &member) {
                           return member.offset % member.alignment;
                         });
  uint64_t end = 0;
  for (const Member &member : members) {
    // A base class whose padding is reused has a different layout than its
    // type.
    if (member.offset < end)
      return false;
    if (member.offset !=
        (is_packed ? end : llvm::alignTo(end, member.alignment)))
      AddPadding(offset + end, offset + member.offset, parts);
    if (!GetParts(member.type, offset + member.offset, thread, parts))
      return false;
    end = member.offset + member.size;
    // Padding at the end of a class that isn't plain data may or may not be
    // part of it.
    const bool is_plain = member.type.GetNumDirectBaseClasses() == 0 &&
                          member.type.GetNumMemberFunctions() == 0;
    if (!is_plain && member.size && &member != &members.back() &&
        parts.back().offset + parts.back().size != offset + end)
      return false;
  }
  return !members.empty();
}

/// The parts of a result of \a type, in the order of their registers: the
/// elements of its LLVM type.
/// \return Whether all of it is supported.
static bool GetParts(CompilerType type, uint64_t offset, Thread &thread,
                     std::vector<Part> &parts) {
  type = type.GetCanonicalType();
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(&thread));
  if (!size || parts.size() > kMaxParts)
    return false;
  // C's empty structures, and arrays of no elements.
  if (*size == 0)
    return true;
  CompilerType element;
  uint64_t count = 0;
  if (type.IsVectorType(&element, &count)) {
    // Halves are passed in pairs, and bytes individually.
    const uint64_t stride =
        llvm::expectedToOptional(element.GetByteSize(&thread)).value_or(0);
    if (!stride || count > *size / stride)
      return false;
    const uint64_t step = stride == 2 ? 4 : stride;
    for (uint64_t at = 0; at < count * stride; at += step)
      parts.push_back({offset + at, std::min(step, count * stride - at)});
    return true;
  }
  bool is_signed = false;
  if (type.IsScalarType() || type.IsPointerOrReferenceType() ||
      type.IsEnumerationType(is_signed)) {
    if (*size > 8)
      return false;
    parts.push_back({offset, *size});
    return true;
  }
  if (type.IsArrayType(&element, &count, nullptr)) {
    std::optional<uint64_t> stride =
        llvm::expectedToOptional(element.GetByteSize(&thread));
    for (uint64_t i = 0; stride && i < count; ++i)
      if (!GetParts(element, offset + i * *stride, thread, parts))
        return false;
    return stride && count;
  }
  const TypeClass kind = type.GetTypeClass();
  if (kind == eTypeClassUnion)
    return GetPartsOfUnion(type, *size, offset, thread, parts);
  return (kind == eTypeClassStruct || kind == eTypeClassClass) &&
         GetPartsOfStruct(type, *size, offset, thread, parts);
}

/// The parts of a result in registers; empty if it isn't supported. Aggregates
/// that fit a pair of registers are packed into v0 and v1, larger ones are
/// passed field by field.
static std::vector<Part> GetResultParts(CompilerType type, uint64_t size,
                                        Thread &thread) {
  std::vector<Part> parts;
  if (size <= 8 && !type.IsVectorType(nullptr, nullptr))
    parts.push_back({0, size});
  else if (!GetParts(type, 0, thread, parts))
    return {};
  uint64_t registers = 0;
  for (const Part &part : parts)
    registers += (part.size + 3) / 4;
  if (registers > kMaxParts)
    return {};
  return parts;
}

/// The passing in registers of a value of \a type.
static std::optional<Passing>
GetRegisterPassing(CompilerType type, uint64_t size, Thread &thread) {
  Passing passing;
  passing.parts = GetResultParts(type, size, thread);
  if (passing.parts.empty())
    return std::nullopt;
  bool is_signed = false;
  passing.is_signed = passing.parts.size() == 1 &&
                      type.IsIntegerOrEnumerationType(is_signed) && is_signed;
  return passing;
}

std::optional<Passing> ABIAMDGPU::GetArgumentPassing(CompilerType type,
                                                     Thread &thread,
                                                     uint64_t &registers_left) {
  type = type.GetCanonicalType();
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(&thread));
  if (!size || *size == 0 || *size > kMaxResultSize)
    return std::nullopt;
  if (!IsClass(type)) {
    registers_left -= std::min(registers_left, (*size + 3) / 4);
    return GetRegisterPassing(type, *size, thread);
  }
  auto types = type.GetTypeSystem();
  if (types && !types->CanPassInRegisters(type))
    return Passing{/*in_memory=*/true, {}, false};
  if (IsEmptyClass(type))
    return Passing();
  const uint64_t needed =
      *size <= 8 ? (*size + 3) / 4 : CountRegisters(type, thread);
  if (*size > 8 && (registers_left == 0 || needed > registers_left))
    return Passing{/*in_memory=*/true, {}, false};
  registers_left -= std::min(registers_left, needed);
  return GetRegisterPassing(type, *size, thread);
}

std::optional<Passing> ABIAMDGPU::GetResultPassing(CompilerType type,
                                                   Thread &thread) {
  type = type.GetCanonicalType();
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(&thread));
  if (!size || *size == 0 || *size > kMaxResultSize)
    return std::nullopt;
  if (ReturnsInMemory(type, *size, thread))
    return Passing{/*in_memory=*/true, {}, false};
  if (IsClass(type) && IsEmptyClass(type))
    return Passing();
  return GetRegisterPassing(type, *size, thread);
}

/// A number as a value of \a type.
static std::optional<std::vector<uint8_t>>
ConvertNumber(ValueObject &value, CompilerType type, uint64_t size) {
  Scalar scalar;
  bool is_complex = false;
  if (size > 8 || !type.IsScalarType() ||
      !value.GetCompilerType().IsScalarType() || !value.ResolveValue(scalar))
    return std::nullopt;
  uint64_t bits = 0;
  if (type.IsFloatingPointType(is_complex)) {
    llvm::APFloat number(scalar.Double(0));
    bool loses = false;
    number.convert(size == 2   ? llvm::APFloat::IEEEhalf()
                   : size == 4 ? llvm::APFloat::IEEEsingle()
                               : llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    bits = number.bitcastToAPInt().getZExtValue();
  } else {
    bits = uint64_t(scalar.SLongLong(0));
  }
  std::vector<uint8_t> bytes(size);
  for (uint64_t i = 0; i < size; ++i)
    bytes[i] = uint8_t(bits >> (8 * i));
  return bytes;
}

llvm::Expected<std::vector<uint32_t>>
ABIAMDGPU::GetResultWords(StackFrame &frame, ValueObject &value) {
  auto error = [](const char *format, auto &&...args) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), format,
                                   args...);
  };
  Thread &thread = *frame.GetThread();
  Function *function = frame.GetSymbolContext(eSymbolContextFunction).function;
  CompilerType type = value.GetCompilerType();
  if (function)
    if (CompilerType declared =
            function->GetCompilerType().GetFunctionReturnType())
      type = declared;
  if (type.IsVoidType())
    return error("the function returns nothing");
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(&thread));
  if (!size || *size == 0 || *size > kMaxResultSize)
    return error("the size of the function's result isn't known");
  if (ReturnsInMemory(type, *size, thread))
    return error("the function's result is in memory: return without a value");
  std::vector<Part> parts = GetResultParts(type, *size, thread);
  if (parts.empty())
    return error("the registers of the function's result aren't known: "
                 "return without a value");
  std::optional<std::vector<uint8_t>> bytes = ConvertNumber(value, type, *size);
  if (!bytes) {
    DataExtractor data;
    Status status;
    if (value.GetCompilerType().GetCanonicalType() != type.GetCanonicalType() &&
        !(value.GetCompilerType().IsPointerType() && type.IsPointerType()))
      return error("the function returns a '%s', and the value is a '%s'",
                   type.GetTypeName().AsCString("?"),
                   value.GetCompilerType().GetTypeName().AsCString("?"));
    if (value.GetData(data, status) < *size)
      return error("the value can't be read: %s",
                   status.AsCString("too short"));
    bytes.emplace(data.GetDataStart(), data.GetDataStart() + *size);
  }
  // The caller relies on the sign extension of a narrow number.
  bool is_signed = false;
  const bool is_integer = type.IsIntegerOrEnumerationType(is_signed);
  std::vector<uint32_t> words;
  if (is_integer && is_signed && *size < 4) {
    uint32_t narrow = 0;
    memcpy(&narrow, bytes->data(), *size);
    words.push_back(uint32_t(llvm::SignExtend64(narrow, unsigned(*size) * 8)));
    return words;
  }
  for (const Part &part : parts)
    for (uint64_t i = 0; i < part.size; i += 4) {
      words.push_back(0);
      memcpy(&words.back(), bytes->data() + part.offset + i,
             std::min<uint64_t>(4, part.size - i));
    }
  return words;
}

ValueObjectSP ABIAMDGPU::GetReturnValueObjectImpl(Thread &thread,
                                                  CompilerType &type) const {
  auto *wave = dynamic_cast<Wave *>(&thread);
  if (!wave || !type)
    return nullptr;
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(&thread));
  // The size comes from debug information.
  if (!size || *size == 0 || *size > kMaxResultSize)
    return nullptr;
  const uint32_t lane = GetFocusLane(thread);
  const llvm::BitVector active = wave->GetActiveLanes();
  if (lane >= active.size() || !active.test(lane))
    return Refuse(thread, llvm::formatv("lane {0} wasn't in the call: the "
                                        "function has no result for it",
                                        lane));
  if (ReturnsInMemory(type, *size, thread))
    return ReadResultInMemory(thread, *wave, type, *size);
  std::vector<Part> parts = GetResultParts(type, *size, thread);
  if (parts.empty())
    return Refuse(thread, llvm::formatv("the registers of a result of type "
                                        "'{0}' aren't known: look at the "
                                        "caller's variables after 'next'",
                                        type.GetDisplayTypeName()));
  unsigned registers = 0;
  for (const Part &part : parts)
    registers += (part.size + 3) / 4;
  if (!wave->IsResultWhole(registers))
    return Refuse(thread,
                  "the compiler has changed how the function is called: "
                  "the place of its result isn't known; look at the caller's "
                  "variables after 'next'");

  RegisterContextSP reg_ctx_sp = thread.GetRegisterContext();
  auto data_sp = std::make_shared<DataBufferHeap>(*size, 0);
  uint64_t number = 0;
  for (const Part &part : parts)
    for (uint64_t i = 0; i < part.size; i += 4, ++number) {
      const RegisterInfo *info =
          wave->FindRegister(llvm::formatv("v{0}", number).str());
      RegisterValue value;
      if (!info || !reg_ctx_sp->ReadRegister(info, value) ||
          value.GetByteSize() < (lane + 1) * 4 ||
          part.offset + part.size > *size)
        return nullptr;
      memcpy(data_sp->GetBytes() + part.offset + i,
             static_cast<const uint8_t *>(value.GetBytes()) + lane * 4,
             std::min<uint64_t>(4, part.size - i));
    }
  DataExtractor data(data_sp, eByteOrderLittle, 8);
  return ValueObjectConstResult::Create(&thread, type, ConstString(""), data);
}
