//===-- FunctionCalls.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionCalls.h"

#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/ProcessLanes.h"
#include "DeviceCall.h"
#include "MathFunctions.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

uint64_t FunctionCalls::Add(FunctionCall call) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_calls.push_back(std::make_shared<const FunctionCall>(std::move(call)));
  return m_calls.size() - 1;
}

std::shared_ptr<const FunctionCall> FunctionCalls::Find(uint64_t number) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return number < m_calls.size() ? m_calls[number] : nullptr;
}

static Status ComputeMath(const FunctionCall &call,
                          llvm::MutableArrayRef<uint8_t> memory) {
  double wide[3] = {};
  float narrow[3] = {};
  for (size_t i = 0; i < call.arguments.size() && i < 3; ++i) {
    const FunctionCall::Value &value = call.arguments[i];
    const uint8_t *from = memory.data() + value.offset;
    if (value.size == 8)
      memcpy(&wide[i], from, 8);
    else
      memcpy(&narrow[i], from, 4);
  }
  uint8_t *to = memory.data() + call.result.offset;
  if (call.result.size == 8) {
    const double result = call.math->wide(wide);
    memcpy(to, &result, 8);
  } else {
    const float result = call.math->narrow(narrow);
    memcpy(to, &result, 4);
  }
  return Status();
}

namespace {
/// The memory of the calls that expressions make in one lane.
class CallWindow : public WindowObject {
public:
  CallWindow(const FunctionCalls &calls, ThreadSP thread_sp, uint32_t lane)
      : m_calls(calls), m_thread_wp(thread_sp), m_lane(lane),
        m_memory(FunctionCalls::kSize) {}

  uint64_t GetSize() override { return m_memory.size(); }

  size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
              Status &error) override {
    if (!Contains(offset, size, error))
      return 0;
    memcpy(buf, m_memory.data() + offset, size);
    return size;
  }

  size_t Write(Process &process, uint64_t offset, const void *buf, size_t size,
               Status &error) override {
    if (!Contains(offset, size, error))
      return 0;
    memcpy(m_memory.data() + offset, buf, size);
    if (offset != 0)
      return size;
    uint64_t number = 0;
    memcpy(&number, m_memory.data(), sizeof(number));
    error = Perform(process, number);
    return error.Success() ? size : 0;
  }

private:
  bool Contains(uint64_t offset, size_t size, Status &error) {
    if (offset <= m_memory.size() && size <= m_memory.size() - offset)
      return true;
    error = Status::FromErrorString("the call has too many arguments");
    return false;
  }

  Status Perform(Process &process, uint64_t number) {
    std::shared_ptr<const FunctionCall> call = m_calls.Find(number);
    if (!call)
      return Status::FromErrorString("an expression's call isn't known");
    if (!call->obstacle.empty())
      return Status(call->obstacle);
    if (call->math)
      return ComputeMath(*call, m_memory);
    ThreadSP thread_sp = m_thread_wp.lock();
    auto *wave = dynamic_cast<Wave *>(thread_sp.get());
    if (!wave)
      return Status::FromErrorString("only waves call functions");
    llvm::Error error = DeviceCall(process, *wave, m_lane, *call).Run(m_memory);
    return error ? Status(llvm::formatv("{0}: {1}", call->name,
                                        llvm::toString(std::move(error)))
                              .str())
                 : Status();
  }

  const FunctionCalls &m_calls;
  const ThreadWP m_thread_wp;
  const uint32_t m_lane;
  std::vector<uint8_t> m_memory;
};
} // namespace

addr_t FunctionCalls::GetAddress(Process &process,
                                 const ExecutionContext &exe_ctx,
                                 uint64_t offset) {
  ThreadSP thread_sp = exe_ctx.GetThreadSP();
  if (!thread_sp)
    thread_sp = process.GetThreadList().GetSelectedThread();
  if (!thread_sp || offset >= kSize)
    return LLDB_INVALID_ADDRESS;
  StackFrame *frame = exe_ctx.GetFramePtr();
  const uint32_t lane = frame ? GetFocusLane(*frame) : GetFocusLane(*thread_sp);
  std::string key = llvm::formatv("call {0} {1}", thread_sp->GetID(), lane);
  std::shared_ptr<WindowObject> window_sp;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_stop_id != process.GetStopID())
      m_windows.clear();
    m_stop_id = process.GetStopID();
    std::shared_ptr<WindowObject> &found =
        m_windows[{thread_sp->GetID(), lane}];
    if (!found)
      found = std::make_shared<CallWindow>(*this, thread_sp, lane);
    window_sp = found;
  }
  llvm::Expected<addr_t> address =
      ProcessLanes::GetOrCreate(process)->GetObjectAddress(
          process, std::move(key), std::move(window_sp));
  if (!address) {
    llvm::consumeError(address.takeError());
    return LLDB_INVALID_ADDRESS;
  }
  return *address + offset;
}
