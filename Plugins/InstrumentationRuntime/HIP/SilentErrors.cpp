//===-- SilentErrors.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SilentErrors.h"
#include "CalledFunction.h"
#include "Core/Support/LibraryCode.h"

#include "lldb/Core/Disassembler.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;

namespace {
/// The runtime's SilentError.
struct Record {
  static constexpr unsigned kDepth = 8;
  uint32_t number;
  uint32_t reserved;
  uint64_t text;
  uint64_t callers[kDepth];
};

/// The program's own call that led to the mistake.
struct Call {
  /// The function of the runtime: "hipMalloc".
  std::string function;
  /// The address that it returns to.
  addr_t return_address = LLDB_INVALID_ADDRESS;
  /// "main at a.hip:12".
  std::string place;
  /// Whether it is a launch by <<<>>>, which has no result.
  bool is_launch = false;
};
} // namespace

static std::string GetPlace(const SymbolContext &context) {
  std::string place = context.GetFunctionName(Mangled::ePreferDemangled)
                          .GetStringRef()
                          .split('(')
                          .first.str();
  if (place.empty())
    return place;
  if (context.line_entry.IsValid())
    place +=
        llvm::formatv(" at {0}:{1}", context.line_entry.GetFile().GetFilename(),
                      context.line_entry.line)
            .str();
  return place;
}

static Call FindCall(Target &target, const Record &record) {
  Call call;
  for (const addr_t address : record.callers) {
    Address before;
    if (!address || !target.ResolveLoadAddress(address - 1, before))
      break;
    SymbolContext context;
    before.CalculateSymbolContext(&context, eSymbolContextEverything);
    wavelane::ClimbToOwnCode(before, context);
    const llvm::StringRef mangled =
        context.GetFunctionName(Mangled::ePreferMangled).GetStringRef();
    const bool in_runtime =
        context.module_sp &&
        wavelane::IsRuntimeLibrary(context.module_sp->GetFileSpec());
    const llvm::StringRef name =
        context.GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
            .GetStringRef();
    if (in_runtime) {
      call.function = name.split('@').first.str();
      continue;
    }
    if (mangled.contains("__device_stub__")) {
      call.is_launch = true;
      continue;
    }
    // HIP's headers wrap functions in templates.
    if (context.line_entry.IsValid() &&
        wavelane::IsLibraryFile(context.line_entry.GetFile())) {
      call.function = name.split('<').first.rsplit(' ').second.str();
      if (call.function.empty())
        call.function = name.split('<').first.str();
      continue;
    }
    call.return_address = address;
    call.place = GetPlace(context);
    if (std::string name = wavelane::GetCalledFunction(target, address);
        llvm::StringRef(name).starts_with("hip"))
      call.function = name.substr(0, name.find('<'));
    break;
  }
  return call;
}

namespace {
enum class Use { Reads, Drops, Unknown };
} // namespace

/// What an instruction of x86-64 in AT&T's syntax does with the result of a
/// function that has returned.
static Use GetUse(llvm::StringRef mnemonic, llvm::StringRef operands) {
  if (mnemonic.starts_with("ret"))
    return Use::Reads;
  auto names_result = [](llvm::StringRef text) {
    return llvm::any_of(llvm::ArrayRef{"%eax", "%rax", "%al", "%ax"},
                        [&](const char *name) { return text.contains(name); });
  };
  if (!names_result(operands))
    return mnemonic.starts_with("call") ? Use::Drops : Use::Unknown;
  // The destination is the last operand.
  const auto [sources, destination] = operands.rsplit(", ");
  if (destination.empty() || destination.contains('('))
    return Use::Reads;
  if (mnemonic.starts_with("xor") && sources == destination)
    return Use::Drops;
  const bool only_writes =
      mnemonic.starts_with("mov") || mnemonic.starts_with("lea");
  return names_result(sources) || !only_writes ? Use::Reads : Use::Drops;
}

/// Whether the code at \a address reads the result of the function that has
/// returned there, before it changes or calls something. Follows jumps that are
/// always taken.
static bool IsResultUsed(Target &target, addr_t address) {
  constexpr unsigned kMaxInstructions = 24;
  constexpr size_t kMaxInstructionSize = 15;
  ExecutionContext context(&target, /*get_process=*/true);
  for (unsigned count = 0; count < kMaxInstructions; ++count) {
    Address at;
    uint8_t bytes[kMaxInstructionSize];
    Status error;
    if (!target.ResolveLoadAddress(address, at))
      return true;
    const size_t size = target.ReadMemory(at, bytes, sizeof(bytes), error);
    DisassemblerSP disassembler_sp = Disassembler::DisassembleBytes(
        target.GetArchitecture(), /*plugin_name=*/nullptr, "att",
        /*cpu=*/nullptr, /*features=*/nullptr, at, bytes, size,
        /*max_num_instructions=*/1, /*data_from_file=*/false);
    InstructionSP instruction_sp =
        disassembler_sp
            ? disassembler_sp->GetInstructionList().GetInstructionAtIndex(0)
            : nullptr;
    if (!instruction_sp)
      return true;
    const llvm::StringRef mnemonic = instruction_sp->GetMnemonic(&context);
    llvm::StringRef operands = instruction_sp->GetOperands(&context);
    if (const Use use = GetUse(mnemonic, operands); use != Use::Unknown)
      return use == Use::Reads;
    address += instruction_sp->GetOpcode().GetByteSize();
    if (mnemonic.starts_with("jmp") &&
        operands.trim().getAsInteger(/*Radix=*/0, address))
      return true;
  }
  return true;
}

std::string wavelane::DescribeSilentError(Process &process, addr_t info) {
  Record record = {};
  Status error;
  if (process.ReadMemory(info, &record, sizeof(record), error) !=
      sizeof(record))
    return "";
  std::string text;
  process.ReadCStringFromMemory(record.text, text, error);
  if (error.Fail() || text.empty())
    return "";
  Call call = FindCall(process.GetTarget(), record);
  call.is_launch |= call.function == "hipLaunchKernel";
  const std::string place =
      call.place.empty() ? "" : ", called by " + call.place;
  const std::string function =
      call.function.empty() ? "a HIP function" : call.function;
  if (!record.number && !record.callers[0])
    return text; // no call of the program's
  if (!record.number)
    return llvm::formatv("{0}{1}: {2}", function, place, text);
  if (!call.is_launch && call.return_address != LLDB_INVALID_ADDRESS &&
      IsResultUsed(process.GetTarget(), call.return_address))
    return "";
  return llvm::formatv("{0}{1}, failed with {2} ({3}), and the program didn't "
                       "check it; 'settings set "
                       "plugin.process.amdgpu.stop-on-hip-error true' stops "
                       "the next run there",
                       call.is_launch ? "a kernel launch" : function, place,
                       text, record.number);
}
