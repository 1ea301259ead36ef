//===-- CallArguments.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallArguments.h"

#include "lldb/Core/Disassembler.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

using Operand = Instruction::Operand;
using Registers = std::map<std::string, uint64_t>;

static constexpr std::array<llvm::StringLiteral, 6> kArguments = {
    "rdi", "rsi", "rdx", "rcx", "r8", "r9"};
/// A function keeps them for its caller, so they are known in each frame.
static constexpr std::array<llvm::StringLiteral, 7> kCalleeSaved = {
    "rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"};
/// DWARF's numbers of the registers of arguments.
static constexpr std::array<uint8_t, 6> kDwarfNumbers = {5, 4, 1, 2, 8, 9};
/// Larger functions aren't disassembled.
static constexpr addr_t kMaxCode = 256 * 1024;

static ThreadSP GetThread(StackFrame &frame) { return frame.GetThread(); }

static Target &GetTarget(StackFrame &frame) {
  return GetThread(frame)->GetProcess()->GetTarget();
}

static std::optional<uint64_t> ReadRegister(StackFrame &frame,
                                            llvm::StringRef name) {
  RegisterContextSP context_sp = frame.GetRegisterContext();
  const RegisterInfo *info =
      context_sp ? context_sp->GetRegisterInfoByName(name) : nullptr;
  RegisterValue value;
  bool success = false;
  if (!info || !context_sp->ReadRegister(info, value))
    return std::nullopt;
  const uint64_t number = value.GetAsUInt64(0, &success);
  return success ? std::optional(number) : std::nullopt;
}

static std::optional<uint64_t> ReadMemory(StackFrame &frame, addr_t address,
                                          unsigned size) {
  Status error;
  const uint64_t value =
      GetThread(frame)->GetProcess()->ReadUnsignedIntegerFromMemory(
          address, size, /*fail_value=*/0, error);
  return error.Success() ? std::optional(value) : std::nullopt;
}

//===-- Instructions ------------------------------------------------------===//

namespace {
struct Line {
  addr_t address = 0, end = 0;
  /// As AT&T's assembler writes it; the destination is the last operand.
  std::string mnemonic;
  llvm::SmallVector<Operand, 3> operands;
  bool is_understood = false;

  bool Calls() const { return llvm::StringRef(mnemonic).starts_with("call"); }
  bool Jumps() const { return mnemonic[0] == 'j' || mnemonic == "notrack"; }
  bool IsBoundary() const {
    return Calls() || Jumps() || llvm::StringRef(mnemonic).starts_with("ret");
  }
  /// It only reads its operands.
  bool OnlyReads() const {
    const llvm::StringRef name = mnemonic;
    return name.starts_with("cmp") || name.starts_with("test") ||
           name.starts_with("nop") || name.starts_with("push");
  }
};

/// A register's 64-bit name; its size in bytes.
struct RegisterName {
  std::string whole;
  unsigned size = 0;
};
} // namespace

static RegisterName ParseRegister(const Operand &operand) {
  if (operand.m_type != Operand::Type::Register)
    return {};
  llvm::StringRef name = operand.m_register.GetStringRef();
  if (name.size() > 1 && name[0] == 'r' && isdigit(name[1])) {
    const unsigned size = name.ends_with("d")   ? 4
                          : name.ends_with("w") ? 2
                          : name.ends_with("b") ? 1
                                                : 8;
    return {name.rtrim("dwb").str(), size};
  }
  if (name.size() == 3 && (name[0] == 'r' || name[0] == 'e'))
    return {"r" + name.drop_front().str(), name[0] == 'r' ? 8u : 4u};
  if (name.size() == 3) // sil, dil, bpl, spl
    return {"r" + name.drop_back().str(), 1};
  if (name.size() == 2 && (name[1] == 'l' || name[1] == 'h'))
    return {"r" + name.take_front().str() + "x", 1};
  return {"r" + name.str(), 2};
}

/// The instructions of the function that a frame is in; empty if that isn't
/// known.
static std::vector<Line> Disassemble(StackFrame &frame) {
  Target &target = GetTarget(frame);
  const SymbolContext context =
      frame.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol);
  AddressRange range;
  if (target.GetArchitecture().GetMachine() != llvm::Triple::x86_64 ||
      !context.GetAddressRange(eSymbolContextFunction | eSymbolContextSymbol,
                               /*range_idx=*/0, /*use_inline=*/false, range) ||
      range.GetByteSize() > kMaxCode)
    return {};
  DisassemblerSP code_sp = Disassembler::DisassembleRange(
      target.GetArchitecture(), /*plugin_name=*/nullptr, /*flavor=*/"att",
      /*cpu=*/nullptr, /*features=*/nullptr, target, {range});
  if (!code_sp)
    return {};
  ExecutionContext execution(GetThread(frame)->GetProcess());
  std::vector<Line> lines;
  InstructionList &list = code_sp->GetInstructionList();
  for (size_t i = 0; i < list.GetSize(); ++i) {
    InstructionSP one_sp = list.GetInstructionAtIndex(i);
    Line &line = lines.emplace_back();
    line.address = one_sp->GetAddress().GetLoadAddress(&target);
    line.end = line.address + one_sp->GetOpcode().GetByteSize();
    if (const char *text = one_sp->GetMnemonic(&execution))
      line.mnemonic = llvm::StringRef(text).trim().str();
    if (line.mnemonic.empty())
      return {};
    line.is_understood = one_sp->ParseOperands(line.operands);
  }
  return lines;
}

/// Whether an instruction may write a register.
static bool Writes(const Line &line, llvm::StringRef whole) {
  const llvm::StringRef name = line.mnemonic;
  if (whole == "rsp" && (name.starts_with("push") || name.starts_with("pop") ||
                         name.starts_with("leave")))
    return true;
  if (line.OnlyReads())
    return false;
  if (name.starts_with("xchg") || name.starts_with("cmpxchg") ||
      name.starts_with("xadd") || name.starts_with("cpuid") ||
      name.starts_with("rep") || name.starts_with("leave"))
    return true;
  return !line.operands.empty() &&
         ParseRegister(line.operands.back()).whole == whole;
}

static std::vector<const Operand *> GetParts(const Operand &sum) {
  if (sum.m_type != Operand::Type::Sum)
    return {&sum};
  std::vector<const Operand *> parts;
  for (const Operand &child : sum.m_children)
    for (const Operand *part : GetParts(child))
      parts.push_back(part);
  return parts;
}

static int64_t GetImmediate(const Operand &operand) {
  return operand.m_negative ? -int64_t(operand.m_immediate)
                            : int64_t(operand.m_immediate);
}

//===-- The caller's instructions -----------------------------------------===//

namespace {
/// Executes the instructions before a call with what is known of registers and
/// memory now.
class Execution {
public:
  Execution(StackFrame &frame, llvm::ArrayRef<Line> lines)
      : m_frame(frame), m_lines(lines) {
    for (llvm::StringRef name : kCalleeSaved) {
      size_t after = lines.size();
      while (after > 0 && !Writes(lines[after - 1], name))
        --after;
      if (auto value = ReadRegister(frame, name))
        m_known_from.emplace(after, std::make_pair(name.str(), *value));
    }
  }

  Registers Run() {
    for (size_t i = 0; i <= m_lines.size(); ++i) {
      auto [begin, end] = m_known_from.equal_range(i);
      for (auto it = begin; it != end; ++it)
        m_registers[it->second.first] = m_lasting[it->second.first] =
            it->second.second;
      if (i < m_lines.size() && !Step(m_lines[i]))
        m_registers = m_lasting;
    }
    return m_registers;
  }

private:
  using Value = std::optional<uint64_t>;

  Value GetAddress(const Line &line, const Operand &reference) {
    uint64_t sum = 0;
    for (const Operand *part : GetParts(reference.m_children.front())) {
      Value value;
      if (part->m_type == Operand::Type::Immediate)
        value = uint64_t(GetImmediate(*part));
      else if (part->m_type == Operand::Type::Register &&
               ParseRegister(*part).whole == "rip")
        value = line.end;
      else if (part->m_type == Operand::Type::Product) {
        Value index = Get(line, part->m_children[0], 8);
        if (index)
          value = *index * part->m_children[1].m_immediate;
      } else
        value = Get(line, *part, 8);
      if (!value)
        return std::nullopt;
      sum += *value;
    }
    return sum;
  }

  static uint64_t Cut(uint64_t value, unsigned size) {
    return size >= 8 ? value : value & ((uint64_t(1) << size * 8) - 1);
  }

  Value Get(const Line &line, const Operand &operand, unsigned size) {
    switch (operand.m_type) {
    case Operand::Type::Immediate:
      return Cut(uint64_t(GetImmediate(operand)), size);
    case Operand::Type::Register: {
      auto found = m_registers.find(ParseRegister(operand).whole);
      return found == m_registers.end() ? Value() : Cut(found->second, size);
    }
    case Operand::Type::Dereference: {
      const Value address = GetAddress(line, operand);
      if (!address)
        return std::nullopt;
      m_loads.emplace_back(*address, size);
      return ReadMemory(m_frame, *address, size);
    }
    default:
      return std::nullopt;
    }
  }

  /// \return False if what was loaded before may have been another value.
  bool Set(const Line &line, const Operand &operand, Value value) {
    if (operand.m_type == Operand::Type::Register) {
      const RegisterName name = ParseRegister(operand);
      if (value && name.size >= 4)
        m_registers[name.whole] = Cut(*value, name.size);
      else
        m_registers.erase(name.whole);
      return true;
    }
    if (operand.m_type != Operand::Type::Dereference)
      return false;
    const Value address = GetAddress(line, operand);
    return address && llvm::none_of(m_loads, [&](auto load) {
             return *address < load.first + load.second &&
                    load.first < *address + 8;
           });
  }

  static Value Compute(llvm::StringRef name, uint64_t left, uint64_t right) {
    return llvm::StringSwitch<Value>(name)
        .Case("add", left + right)
        .Case("sub", left - right)
        .Case("xor", left ^ right)
        .Case("and", left & right)
        .Case("or", left | right)
        .Case("imul", left * right)
        .Default(std::nullopt);
  }

  /// eax divided by an operand: quotient and rest.
  bool Divide(const Line &line) {
    const Value divisor = Get(line, line.operands[0], 4);
    auto dividend = m_registers.find("rax");
    const bool is_known = divisor && int32_t(*divisor) > 0 &&
                          dividend != m_registers.end() &&
                          m_registers.count("rdx");
    if (!is_known) {
      m_registers.erase("rax");
      m_registers.erase("rdx");
      return true;
    }
    const int32_t number = int32_t(dividend->second), by = int32_t(*divisor);
    m_registers["rdx"] = uint32_t(number % by);
    m_registers["rax"] = uint32_t(number / by);
    return true;
  }

  /// \return False if the instruction isn't understood.
  bool Step(const Line &line) {
    llvm::StringRef name = line.mnemonic;
    if (name == "cltd" || name == "cltq") {
      auto found = m_registers.find("rax");
      const bool is_known = found != m_registers.end();
      const int64_t value = is_known ? int32_t(found->second) : 0;
      const std::string to = name == "cltd" ? "rdx" : "rax";
      if (is_known)
        m_registers[to] = name == "cltd" ? uint32_t(value >> 32) : value;
      else
        m_registers.erase(to);
      return true;
    }
    if (line.OnlyReads())
      return true;
    if (!line.is_understood || line.operands.empty())
      return false;
    const Operand &source = line.operands.front(), &to = line.operands.back();
    if (name == "movslq") {
      const Value value = Get(line, source, 4);
      return Set(line, to,
                 value ? Value(int64_t(int32_t(*value))) : std::nullopt);
    }
    if (name == "movabsq")
      return Set(line, to, Get(line, source, 8));
    if (name == "idivl")
      return Divide(line);
    const unsigned size = name.ends_with("l") ? 4 : name.ends_with("q") ? 8 : 0;
    if (!size)
      return false;
    name = name.drop_back();
    if (name == "mov")
      return Set(line, to, Get(line, source, size));
    if (name == "lea")
      return Set(line, to, GetAddress(line, source));
    if (line.operands.size() == 1) {
      const Value value = Get(line, to, size);
      if (name != "inc" && name != "dec" && name != "neg")
        return false;
      return Set(line, to,
                 !value ? Value()
                        : Value(name == "inc"   ? *value + 1
                                : name == "dec" ? *value - 1
                                                : 0 - *value));
    }
    const bool is_zero = name == "xor" &&
                         source.m_type == Operand::Type::Register &&
                         ParseRegister(source).whole == ParseRegister(to).whole;
    const Value right = is_zero ? Value(0) : Get(line, source, size);
    const Value left = is_zero ? Value(0) : Get(line, line.operands[1], size);
    if (!Compute(name, 0, 0))
      return false;
    return Set(line, to,
               left && right ? Compute(name, *left, *right) : std::nullopt);
  }

  StackFrame &m_frame;
  const llvm::ArrayRef<Line> m_lines;
  /// What is known now, and what holds up to the call.
  Registers m_registers, m_lasting;
  /// Registers that the callee keeps have the caller's values from the line
  /// with this number on: no later one writes them.
  std::multimap<size_t, std::pair<std::string, uint64_t>> m_known_from;
  /// Addresses and sizes of what was read.
  std::vector<std::pair<addr_t, unsigned>> m_loads;
};
} // namespace

/// The source line of an instruction; 0 if there is none.
static uint32_t GetSourceLine(Target &target, addr_t address) {
  Address place;
  LineEntry entry;
  return target.ResolveLoadAddress(address, place) &&
                 place.CalculateSymbolContextLineEntry(entry)
             ? entry.line
             : 0;
}

/// The instructions that are always executed one after another before a call.
static llvm::ArrayRef<Line> FindBlock(llvm::ArrayRef<Line> lines,
                                      addr_t return_address, Target &target) {
  std::set<addr_t> targets;
  size_t call = lines.size();
  bool has_table = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line &line = lines[i];
    if (line.end == return_address && line.Calls())
      call = i;
    if (!line.Jumps())
      continue;
    if (line.is_understood && line.operands.size() == 1 &&
        line.operands[0].m_type == Operand::Type::Immediate)
      targets.insert(line.operands[0].m_immediate);
    else
      has_table = true;
  }
  if (call == lines.size())
    return {};
  // A table of jumps leads to the cases of a switch: to the beginnings of
  // statements, but not into one.
  const uint32_t own =
      has_table ? GetSourceLine(target, lines[call].address) : 0;
  if (has_table && !own)
    return {};
  size_t begin = call;
  while (begin > 0 && !targets.count(lines[begin].address) &&
         !lines[begin - 1].IsBoundary() &&
         (!has_table || GetSourceLine(target, lines[begin - 1].address) == own))
    --begin;
  return lines.slice(begin, call - begin);
}

std::optional<uint64_t> CallArguments::FindInCaller(unsigned number) {
  if (!m_registers) {
    const std::vector<Line> lines = Disassemble(m_caller);
    const addr_t pc =
        m_caller.GetFrameCodeAddress().GetLoadAddress(&GetTarget(m_caller));
    m_registers =
        Execution(m_caller, FindBlock(lines, pc, GetTarget(m_caller))).Run();
  }
  auto found = m_registers->find(kArguments[number].str());
  return found == m_registers->end() ? std::nullopt
                                     : std::optional(found->second);
}

//===-- The other ways ----------------------------------------------------===//

std::optional<uint64_t> CallArguments::FindInDebugInfo(unsigned number) {
  Function *function =
      m_caller.GetSymbolContext(eSymbolContextFunction).function;
  Target &target = GetTarget(m_caller);
  CallEdge *edge =
      function
          ? function->GetCallEdgeForReturnAddress(
                m_caller.GetFrameCodeAddress().GetLoadAddress(&target), target)
          : nullptr;
  if (!edge)
    return std::nullopt;
  // DW_OP_reg0 and so on.
  const uint8_t wanted = 0x50 + kDwarfNumbers[number];
  for (const CallSiteParameter &parameter : edge->GetCallSiteParameters()) {
    DataExtractor place;
    offset_t offset = 0;
    if (!parameter.LocationInCallee.GetExpressionData(place) ||
        place.GetByteSize() != 1 || place.GetU8(&offset) != wanted)
      continue;
    ExecutionContext context(m_caller.shared_from_this());
    llvm::Expected<Value> value = parameter.LocationInCaller.Evaluate(
        &context, m_caller.GetRegisterContext().get(), LLDB_INVALID_ADDRESS,
        /*initial_value_ptr=*/nullptr, /*object_address_ptr=*/nullptr);
    if (value)
      return value->GetScalar().ULongLong();
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<uint64_t> CallArguments::FindInCallee(unsigned number) {
  const std::vector<Line> lines = Disassemble(m_callee);
  const addr_t pc =
      m_callee.GetFrameCodeAddress().GetLoadAddress(&GetTarget(m_callee));
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line &line = lines[i];
    if (line.IsBoundary() || line.end > pc)
      return std::nullopt;
    if ((line.mnemonic == "movl" || line.mnemonic == "movq") &&
        line.is_understood && line.operands.size() == 2 &&
        ParseRegister(line.operands[0]).whole == kArguments[number]) {
      const std::string to = ParseRegister(line.operands[1]).whole;
      auto writes = [&](const Line &other) {
        return &other != &line &&
               !llvm::StringRef(other.mnemonic).starts_with("pop") &&
               Writes(other, to);
      };
      if (llvm::is_contained(kCalleeSaved, to) && llvm::none_of(lines, writes))
        return ReadRegister(m_callee, to);
      continue;
    }
    if (Writes(line, kArguments[number]))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<uint64_t> CallArguments::Get(unsigned number) {
  if (number >= kArguments.size()) {
    const std::optional<uint64_t> stack = ReadRegister(m_caller, "rsp");
    return stack ? ReadMemory(m_caller,
                              *stack + (number - kArguments.size()) * 8, 8)
                 : std::nullopt;
  }
  if (auto value = FindInDebugInfo(number))
    return value;
  if (auto value = FindInCaller(number))
    return value;
  return FindInCallee(number);
}

std::optional<int32_t> CallArguments::GetInt(unsigned number) {
  const std::optional<uint64_t> value = Get(number);
  return value ? std::optional(int32_t(*value)) : std::nullopt;
}
