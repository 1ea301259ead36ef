//===-- VectorSize.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorSize.h"
#include "lldb/Core/Disassembler.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr struct {
  const char *prefix;
  uint64_t size;
} g_widths[] = {{"zmm", 64}, {"ymm", 32}, {"xmm", 16}};

/// Longer functions aren't read.
static constexpr uint64_t g_max_code = 1 << 20;

static std::vector<AddressRange>
GetCode(StackFrame &frame,
        llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ranges) {
  const SymbolContext sc =
      frame.GetSymbolContext(eSymbolContextModule | eSymbolContextFunction);
  std::vector<AddressRange> code;
  if (ranges.empty() && sc.function)
    for (const AddressRange &range : sc.function->GetAddressRanges())
      code.push_back(range);
  for (auto [low, high] : ranges) {
    Address begin;
    if (low < high && sc.module_sp &&
        sc.module_sp->ResolveFileAddress(low, begin))
      code.emplace_back(begin, high - low);
  }
  llvm::erase_if(code, [](const AddressRange &range) {
    return range.GetByteSize() > g_max_code;
  });
  return code;
}

/// Whether \a operands include the register: "zmm1", not "zmm11".
static bool Names(llvm::StringRef operands, const std::string &name) {
  for (size_t at = operands.find(name); at != llvm::StringRef::npos;
       at = operands.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == operands.size() || !llvm::isDigit(operands[end]))
      return true;
  }
  return false;
}

llvm::Expected<uint64_t> lldb_private::wavelane::GetUsedVectorSize(
    const FrameFacts &facts, uint64_t number,
    llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ranges) {
  llvm::Expected<uint64_t> whole = facts.GetRegisterSize(number);
  StackFrameSP frame_sp = facts.GetFrame();
  const std::string name = facts.GetRegisterName(number);
  const bool is_vector = llvm::any_of(g_widths, [&](const auto &width) {
    return llvm::StringRef(name).starts_with(width.prefix);
  });
  if (!whole || !frame_sp || !is_vector)
    return whole;
  Target &target = facts.GetProcess()->GetTarget();
  const std::vector<AddressRange> code = GetCode(*frame_sp, ranges);
  DisassemblerSP disassembler_sp =
      Disassembler::DisassembleRange(target.GetArchitecture(), nullptr, nullptr,
                                     nullptr, nullptr, target, code);
  if (!disassembler_sp)
    return whole;
  InstructionList &instructions = disassembler_sp->GetInstructionList();
  ExecutionContext exe_ctx(frame_sp);
  uint64_t widest = 0;
  for (size_t i = 0; i < instructions.GetSize(); ++i) {
    const llvm::StringRef operands =
        instructions.GetInstructionAtIndex(i)->GetOperands(&exe_ctx);
    for (const auto &width : g_widths)
      if (width.size > widest && Names(operands, width.prefix + name.substr(3)))
        widest = width.size;
  }
  return widest ? std::min(widest, *whole) : *whole;
}
