//===-- WindowLoans.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowLoans.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Target.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// Larger objects aren't lent.
static constexpr uint64_t g_max_size = 1 << 20;

Status WindowLoans::WillWrite(addr_t addr, const void *buf, size_t size) {
  if (size != sizeof(uint64_t))
    return Status();
  const uint64_t pointer = llvm::support::endian::read64le(buf);
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (m_is_busy)
    return Status();
  const std::optional<EntryAddress> entry = EntryAddress::Decode(pointer);
  std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(m_process);
  Loan loan;
  Status error;
  if (entry && lanes)
    loan.object = lanes->FindObject(m_process, entry->id, error);
  if (!loan.object) {
    // Any other number.
    m_pointers.erase(addr);
    return Status();
  }
  loan.offset = entry->offset;
  error = ReadObject(loan);
  if (error.Fail())
    return error;
  if (m_pointers.empty())
    m_process.AddPreResumeAction(WillResume, this);
  m_pointers[addr] = pointer;
  m_objects[pointer] = std::move(loan);
  return Status();
}

Status WindowLoans::ReadObject(Loan &loan) {
  const uint64_t size = loan.object->GetSize();
  if (size <= loan.offset || size > g_max_size)
    return Status::FromErrorString(
        "the object isn't in memory, and code can't have a copy of it");
  loan.bytes.resize(size - loan.offset);
  Status error;
  loan.object->Read(m_process, loan.offset, loan.bytes.data(),
                    loan.bytes.size(), error);
  return error;
}

bool WindowLoans::WillResume(void *loans) {
  return static_cast<WindowLoans *>(loans)->Lend();
}

bool WindowLoans::Lend() {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  llvm::SaveAndRestore<bool> busy(m_is_busy, true);
  const std::map<addr_t, addr_t> pointers = std::move(m_pointers);
  std::map<addr_t, Loan> objects = std::move(m_objects);
  m_pointers.clear();
  m_objects.clear();
  // LLDB's copy of this record has less.
  if (!m_process.GetModIDRef().IsRunningExpression())
    return true;
  bool is_done = true;
  for (auto [addr, pointer] : pointers) {
    Status error;
    // The memory may have been freed and reused since.
    if (m_process.ReadPointerFromMemory(addr, error) != pointer)
      continue;
    Loan &loan = objects[pointer];
    is_done &= LendObject(loan) &&
               m_process.WritePointerToMemory(addr, loan.memory, error);
  }
  for (auto &[pointer, loan] : objects)
    if (loan.memory != LLDB_INVALID_ADDRESS)
      m_loans.push_back(std::move(loan));
  return is_done;
}

bool WindowLoans::LendObject(Loan &loan) {
  // Several pointers may lead to one object.
  if (loan.memory != LLDB_INVALID_ADDRESS)
    return true;
  Status error;
  loan.memory = m_process.AllocateMemory(
      loan.bytes.size(), ePermissionsReadable | ePermissionsWritable, error);
  return loan.memory != LLDB_INVALID_ADDRESS &&
         m_process.WriteMemory(loan.memory, loan.bytes.data(),
                               loan.bytes.size(), error) == loan.bytes.size();
}

void WindowLoans::Settle() {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (m_loans.empty() || m_is_busy ||
      m_process.GetModIDRef().IsRunningExpression() ||
      m_process.GetState() != eStateStopped)
    return;
  llvm::SaveAndRestore<bool> busy(m_is_busy, true);
  const std::vector<Loan> loans = std::move(m_loans);
  m_loans.clear();
  for (const Loan &loan : loans)
    Return(loan);
}

void WindowLoans::Return(const Loan &loan) {
  Status error;
  std::vector<uint8_t> now(loan.bytes.size());
  const bool is_read = m_process.ReadMemory(loan.memory, now.data(), now.size(),
                                            error) == now.size();
  m_process.DeallocateMemory(loan.memory);
  if (!is_read || now == loan.bytes)
    return;
  // Write only from the first to the last changed byte: others may not be
  // writable.
  const size_t begin =
      std::mismatch(now.begin(), now.end(), loan.bytes.begin()).first -
      now.begin();
  const size_t end =
      now.rend() -
      std::mismatch(now.rbegin(), now.rend(), loan.bytes.rbegin()).first;
  error.Clear();
  if (loan.object->Write(m_process, loan.offset + begin, &now[begin],
                         end - begin, error) == end - begin)
    return;
  m_process.GetTarget().GetDebugger().GetAsyncErrorStream()->Printf(
      "error: the expression changed an object that isn't in memory, and the "
      "change is lost: %s\n",
      error.AsCString("it can't be written"));
}
