#include "LLDBExpressions.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Value.h"
#include "lldb/Expression/DWARFExpression.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Platform.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Listener.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/lldb-private-types.h"
#include "llvm/Support/Error.h"
#include <cstring>

using namespace lldb;
using namespace lldb_private;

namespace {
class BenchRegisters : public RegisterContext {
public:
  explicit BenchRegisters(Thread &thread) : RegisterContext(thread, 0) {
    for (uint32_t i = 0; i < 16; ++i) {
      RegisterInfo &info = m_infos[i];
      info = RegisterInfo();
      m_names[i] = "r" + std::to_string(i);
      info.name = m_names[i].c_str();
      info.byte_size = 8;
      info.byte_offset = i * 8;
      info.encoding = eEncodingUint;
      info.format = eFormatHex;
      for (uint32_t &kind : info.kinds)
        kind = i;
    }
  }
  void InvalidateAllRegisters() override {}
  size_t GetRegisterCount() override { return 16; }
  const RegisterInfo *GetRegisterInfoAtIndex(size_t reg) override {
    return reg < 16 ? &m_infos[reg] : nullptr;
  }
  size_t GetRegisterSetCount() override { return 0; }
  const RegisterSet *GetRegisterSet(size_t) override { return nullptr; }
  bool ReadRegister(const RegisterInfo *info, RegisterValue &value) override {
    value.SetUInt64(0x1000 + info->byte_offset);
    return true;
  }
  bool WriteRegister(const RegisterInfo *, const RegisterValue &) override {
    return false;
  }
  uint32_t ConvertRegisterKindToRegisterNumber(RegisterKind,
                                               uint32_t number) override {
    return number < 16 ? number : LLDB_INVALID_REGNUM;
  }

private:
  RegisterInfo m_infos[16];
  std::string m_names[16];
};

class BenchThread : public Thread {
public:
  explicit BenchThread(Process &process) : Thread(process, 1) {}
  ~BenchThread() override { DestroyThread(); }
  void RefreshStateAfterStop() override {}
  RegisterContextSP GetRegisterContext() override {
    if (!m_registers)
      m_registers = std::make_shared<BenchRegisters>(*this);
    return m_registers;
  }
  RegisterContextSP CreateRegisterContextForFrame(StackFrame *) override {
    return GetRegisterContext();
  }
  bool CalculateStopInfo() override { return false; }

private:
  RegisterContextSP m_registers;
};

class BenchProcess : public Process {
public:
  BenchProcess(TargetSP target, ListenerSP listener)
      : Process(target, listener) {}
  ~BenchProcess() override { Finalize(true); }
  llvm::StringRef GetPluginName() override { return "bench"; }
  bool CanDebug(TargetSP, bool) override { return true; }
  Status DoDestroy() override { return Status(); }
  void RefreshStateAfterStop() override {}
  bool DoUpdateThreadList(ThreadList &, ThreadList &) override { return false; }
  size_t DoReadMemory(addr_t, void *buf, size_t size, Status &) override {
    memset(buf, 0, size);
    return size;
  }
};

/// The parts of LLDB that an evaluation needs.
struct Machine {
  DebuggerSP debugger;
  TargetSP target;
  ProcessSP process;
  ThreadSP thread;
  ModuleSP module;
  std::unique_ptr<CompileUnit> unit;
  std::unique_ptr<Function> function;
  StackFrameSP frame;

  Machine() {
    SBDebugger::Initialize();
    const ArchSpec arch("x86_64-pc-linux");
    debugger = Debugger::CreateInstance();
    PlatformSP platform;
    debugger->GetTargetList().CreateTarget(*debugger, "", arch,
                                           eLoadDependentsNo, platform, target);
    if (!target)
      return;
    process =
        std::make_shared<BenchProcess>(target, Listener::MakeListener("bench"));
    thread = std::make_shared<BenchThread>(*process);
    module = std::make_shared<Module>(FileSpec("bench"), arch);
    unit = std::make_unique<CompileUnit>(module, nullptr, "bench.c", 0,
                                         eLanguageTypeC, eLazyBoolNo);
    function = std::make_unique<Function>(unit.get(), 0, 0, Mangled(), nullptr,
                                          Address(0x1000), AddressRanges());
    // DW_OP_breg6 0
    static const uint8_t frame_base[] = {0x76, 0};
    function->GetFrameBaseExpression() = DWARFExpressionList(
        module,
        DWARFExpression(
            DataExtractor(frame_base, sizeof(frame_base), eByteOrderLittle, 8)),
        nullptr);
    SymbolContext context;
    context.target_sp = target;
    context.function = function.get();
    frame =
        std::make_shared<StackFrame>(thread, 0, 0, thread->GetRegisterContext(),
                                     0x7000, addr_t(0x1000), true, &context);
  }
};
} // namespace

struct LLDBExpression::Impl {
  std::vector<uint8_t> bytes;
  ExecutionContext context;
  RegisterContextSP registers;
  DataExtractor data;
  DWARFExpressionList list;
};

LLDBExpression::LLDBExpression(std::vector<uint8_t> bytes, bool is_in_list)
    : m_impl(std::make_unique<Impl>()), m_is_in_list(is_in_list) {
  // LLDB lives until the program ends.
  static Machine &machine = *new Machine();
  m_impl->bytes = std::move(bytes);
  m_impl->data = DataExtractor(m_impl->bytes.data(), m_impl->bytes.size(),
                               eByteOrderLittle, 8);
  if (!machine.thread)
    return;
  m_impl->context = ExecutionContext(machine.frame.get());
  m_impl->registers = machine.thread->GetRegisterContext();
  for (addr_t low : {0x800, 0x1000, 0x1800})
    m_impl->list.AddExpression(low, low + 0x800, DWARFExpression(m_impl->data));
  m_impl->list.SetFuncFileAddress(0x800);
}

LLDBExpression::~LLDBExpression() = default;

std::string LLDBExpression::evaluate() {
  if (!m_impl->registers)
    return "LLDB makes no target";
  llvm::Expected<Value> value =
      m_is_in_list
          ? m_impl->list.Evaluate(&m_impl->context, m_impl->registers.get(),
                                  0x800, nullptr, nullptr)
          : DWARFExpression::Evaluate(&m_impl->context, m_impl->registers.get(),
                                      nullptr, m_impl->data, nullptr,
                                      eRegisterKindDWARF, nullptr, nullptr);
  return value ? std::string() : llvm::toString(value.takeError());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
