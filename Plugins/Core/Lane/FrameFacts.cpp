//===-- FrameFacts.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrameFacts.h"
#include "LaneSource.h"
#include "WindowAddress.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrameList.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

FrameFacts::FrameFacts(Process &process, Thread *thread, StackFrame *frame,
                       uint32_t lane)
    : m_process_wp(process.shared_from_this()), m_lane(lane) {
  m_is_gpu = process.GetTarget().GetArchitecture().GetMachine() ==
             llvm::Triple::amdgcn;
  if (thread) {
    m_tid = thread->GetID();
    if (auto *source = m_is_gpu ? dynamic_cast<LaneSource *>(thread) : nullptr)
      m_wave_lanes = source->GetLaneCount();
  }
  if (frame) {
    m_has_frame = true;
    m_frame_id = frame->GetStackID();
    m_frame_index = frame->GetFrameIndex();
    m_frame_list = frame->GetContainingStackFrameListIdentifier();
  }
}

ThreadSP FrameFacts::GetThread() const {
  ProcessSP process_sp = GetProcess();
  return process_sp ? process_sp->GetThreadList().FindThreadByID(m_tid)
                    : ThreadSP();
}

StackFrameSP FrameFacts::GetFrame() const {
  ThreadSP thread_sp = GetThread();
  if (!thread_sp || !m_has_frame)
    return nullptr;
  // Use the unwinder's list: a frame provider may show others, and mustn't be
  // called while it reads a variable.
  StackFrameListSP frames_sp =
      thread_sp->GetFrameListByIdentifier(m_frame_list);
  // The index is fast and nearly always right.
  if (StackFrameSP frame_sp =
          frames_sp ? frames_sp->GetFrameAtIndex(m_frame_index)
                    : thread_sp->GetStackFrameAtIndex(m_frame_index))
    if (frame_sp->GetStackID() == m_frame_id)
      return frame_sp;
  return frames_sp ? frames_sp->GetFrameWithStackID(m_frame_id)
                   : thread_sp->GetFrameWithStackID(m_frame_id);
}

llvm::Expected<RegisterContextSP> FrameFacts::GetRegisterContext() const {
  if (!m_has_frame)
    return llvm::createStringError("no call frame to read registers from");
  StackFrameSP frame_sp = GetFrame();
  if (!frame_sp)
    return llvm::createStringError("the call frame no longer exists");
  RegisterContextSP context_sp = frame_sp->GetRegisterContext();
  if (!context_sp)
    return llvm::createStringError("the call frame's registers can't be read");
  return context_sp;
}

const RegisterInfo *FrameFacts::FindRegister(RegisterContext &context,
                                             uint64_t dwarf_number) {
  if (dwarf_number > UINT32_MAX)
    return nullptr;
  ThreadSP thread_sp = context.CalculateThread();
  if (thread_sp &&
      thread_sp->GetProcess()->GetTarget().GetArchitecture().GetMachine() ==
          llvm::Triple::x86_64) {
    // xmm, ymm and zmm have one DWARF number: use the widest.
    int vector = -1;
    if (dwarf_number >= 17 && dwarf_number <= 32)
      vector = int(dwarf_number) - 17;
    else if (dwarf_number >= 67 && dwarf_number <= 82)
      vector = int(dwarf_number) - 67 + 16;
    if (vector >= 0)
      for (const char *kind : {"zmm", "ymm", "xmm"})
        if (const RegisterInfo *info = context.GetRegisterInfoByName(
                (kind + llvm::Twine(vector)).str()))
          return info;
  }
  const uint32_t number = context.ConvertRegisterKindToRegisterNumber(
      eRegisterKindDWARF, uint32_t(dwarf_number));
  if (number == LLDB_INVALID_REGNUM)
    return nullptr;
  return context.GetRegisterInfoAtIndex(number);
}

static llvm::Error NoRegister(uint64_t dwarf_number) {
  return llvm::createStringError("the target has no register with DWARF number "
                                 "%" PRIu64,
                                 dwarf_number);
}

llvm::Expected<uint64_t>
FrameFacts::GetRegisterSize(uint64_t dwarf_number) const {
  llvm::Expected<RegisterContextSP> context = GetRegisterContext();
  if (!context)
    return context.takeError();
  const RegisterInfo *info = FindRegister(**context, dwarf_number);
  if (!info)
    return NoRegister(dwarf_number);
  return info->byte_size;
}

std::string FrameFacts::GetRegisterName(uint64_t dwarf_number) const {
  llvm::Expected<RegisterContextSP> context = GetRegisterContext();
  if (!context) {
    llvm::consumeError(context.takeError());
    return std::to_string(dwarf_number);
  }
  const RegisterInfo *info = FindRegister(**context, dwarf_number);
  return info && info->name ? info->name : std::to_string(dwarf_number);
}

static llvm::Expected<llvm::SmallVector<uint8_t, 64>>
ReadWhole(RegisterContext &context, const RegisterInfo &info) {
  RegisterValue value;
  if (!context.ReadRegister(&info, value))
    return llvm::createStringError("register %s can't be read in this frame",
                                   info.name);
  llvm::SmallVector<uint8_t, 64> bytes(info.byte_size);
  Status error;
  if (value.GetAsMemoryData(info, bytes.data(), bytes.size(), eByteOrderLittle,
                            error) == 0)
    return llvm::createStringError("register %s can't be read: %s", info.name,
                                   error.AsCString("its value has no bytes"));
  return bytes;
}

llvm::Expected<llvm::SmallVector<uint8_t, 64>>
FrameFacts::ReadRegister(uint64_t dwarf_number) const {
  llvm::Expected<RegisterContextSP> context = GetRegisterContext();
  if (!context)
    return context.takeError();
  const RegisterInfo *info = FindRegister(**context, dwarf_number);
  if (!info)
    return NoRegister(dwarf_number);
  return ReadWhole(**context, *info);
}

llvm::Error FrameFacts::WriteRegister(uint64_t dwarf_number, uint64_t offset,
                                      llvm::ArrayRef<uint8_t> bytes) const {
  llvm::Expected<RegisterContextSP> context = GetRegisterContext();
  if (!context)
    return context.takeError();
  const RegisterInfo *info = FindRegister(**context, dwarf_number);
  if (!info)
    return NoRegister(dwarf_number);
  if (offset > info->byte_size || bytes.size() > info->byte_size - offset)
    return llvm::createStringError("the write goes past the end of register %s",
                                   info->name);
  llvm::Expected<llvm::SmallVector<uint8_t, 64>> whole =
      ReadWhole(**context, *info);
  if (!whole)
    return whole.takeError();
  std::copy(bytes.begin(), bytes.end(), whole->begin() + offset);
  RegisterValue value;
  Status error;
  if (value.SetFromMemoryData(*info, whole->data(), whole->size(),
                              eByteOrderLittle, error) == 0)
    return llvm::createStringError("register %s can't be written: %s",
                                   info->name, error.AsCString("bad size"));
  if (!(*context)->WriteRegister(info, value))
    return llvm::createStringError("register %s can't be written in this frame",
                                   info->name);
  return llvm::Error::success();
}

/// Reads or writes memory of an address space.
/// \param[in] global, in_space  Read or write, and return the number of bytes
/// done.
static llvm::Error
Transfer(ProcessSP process_sp, const char *done_text, uint64_t space,
         uint64_t address, size_t size,
         llvm::function_ref<size_t(Process &, Status &)> global,
         llvm::function_ref<size_t(AddressSpaceMemory &, Status &)> in_space) {
  if (!process_sp)
    return llvm::createStringError("the process is gone");
  Status error;
  size_t done;
  if (space == eSpaceGlobal)
    done = global(*process_sp, error);
  else if (auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get()))
    done = in_space(*memory, error);
  else
    return llvm::createStringError("the target has no address space %" PRIu64,
                                   space);
  if (done == size)
    return llvm::Error::success();
  return llvm::createStringError("memory at 0x%" PRIx64 " can't be %s: %s",
                                 address + done, done_text,
                                 error.AsCString("it is not mapped"));
}

llvm::Error FrameFacts::ReadMemory(uint64_t space, uint32_t lane,
                                   uint64_t address,
                                   llvm::MutableArrayRef<uint8_t> bytes) const {
  return Transfer(
      GetProcess(), "read", space, address, bytes.size(),
      [&](Process &process, Status &error) {
        return process.ReadMemory(address, bytes.data(), bytes.size(), error);
      },
      [&](AddressSpaceMemory &memory, Status &error) {
        return memory.ReadAddressSpace(m_tid, lane, space, address,
                                       bytes.data(), bytes.size(), error);
      });
}

llvm::Error FrameFacts::WriteMemory(uint64_t space, uint32_t lane,
                                    uint64_t address,
                                    llvm::ArrayRef<uint8_t> bytes) const {
  return Transfer(
      GetProcess(), "written", space, address, bytes.size(),
      [&](Process &process, Status &error) {
        return process.WriteMemory(address, bytes.data(), bytes.size(), error);
      },
      [&](AddressSpaceMemory &memory, Status &error) {
        return memory.WriteAddressSpace(m_tid, lane, space, address,
                                        bytes.data(), bytes.size(), error);
      });
}

llvm::Expected<uint64_t> FrameFacts::GetCFA() const {
  if (!m_has_frame)
    return llvm::createStringError("no call frame");
  const addr_t cfa = m_frame_id.GetCallFrameAddressWithoutMetadata();
  if (cfa == LLDB_INVALID_ADDRESS)
    return llvm::createStringError("the canonical frame address is not known");
  if (m_is_gpu) // A kernel's CFA is the frame's base itself.
    return cfa >= kWaveFrameBase ? 0 : kWaveFrameBase - 1 - cfa;
  return cfa;
}

bool FrameFacts::IsKernel() const {
  return m_is_gpu && m_has_frame &&
         m_frame_id.GetCallFrameAddressWithoutMetadata() == kWaveFrameBase;
}

bool FrameFacts::IsFrameRegister(uint64_t dwarf_number) const {
  ThreadSP thread_sp = GetThread();
  StackFrameSP frame_sp = GetFrame();
  auto *source = dynamic_cast<LaneSource *>(thread_sp.get());
  return !source || !frame_sp ||
         source->IsFrameRegister(*frame_sp, GetRegisterName(dwarf_number));
}

llvm::Expected<uint64_t> FrameFacts::GetPC() const {
  StackFrameSP frame_sp = GetFrame();
  if (!frame_sp)
    return llvm::createStringError("no call frame");
  // If a function is inlined there, the frame's own address is the inlined
  // function's start.
  ProcessSP process_sp = GetProcess();
  RegisterContextSP reg_ctx_sp = frame_sp->GetRegisterContext();
  Address pc;
  if (!reg_ctx_sp || !reg_ctx_sp->GetPCForSymbolication(pc))
    pc = frame_sp->GetFrameCodeAddressForSymbolication();
  return pc.GetLoadAddress(&process_sp->GetTarget());
}
