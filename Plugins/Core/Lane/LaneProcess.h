//===-- LaneProcess.h - processes whose memory has a window -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_LANEPROCESS_H
#define WAVELANE_CORE_LANE_LANEPROCESS_H

#include "Core/Statusline/WaveStatusline.h"
#include "Core/Support/OtherSide.h"
#include "ProcessLanes.h"
#include "WindowLoans.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/MemoryRegionInfo.h"
#include "lldb/Target/Target.h"

namespace lldb_private {
namespace wavelane {

/// A process whose memory is another's, too: the host's and the GPU's of a
/// program.
class SharesMemory {
public:
  virtual ~SharesMemory() = default;
  /// Drops what is cached of memory, since the other has written some.
  virtual void ForgetMemory() = 0;
};

/// \p Base, a class of LLDB's processes, with lanes: ProcessLanes serves
/// addresses in their window instead of the program's memory.
template <typename Base>
class LaneProcess : public Base, public LaneOwner, public SharesMemory {
public:
  using Base::Base;

  // LLDB's own invalidation ignores the sizes of blocks in its cache.
  void ForgetMemory() override { this->m_memory_cache.Clear(); }

  void InvalidateValues() override { this->m_mod_id.BumpMemoryID(); }

  bool IsInWindow(lldb::addr_t addr) const {
    if (!HasUsedLanes())
      return false;
    auto lanes = GetLanes();
    return lanes && lanes->Contains(addr);
  }

  /// Refuses to resume backwards if the process can't. Resets the direction,
  /// because LLDB would keep it for every later `continue`.
  /// \param[in] what  What can't run backwards, such as "waves".
  Status CheckDirection(const char *what) {
    if (this->GetBaseDirection() != lldb::eRunReverse ||
        this->SupportsReverseDirection())
      return Status();
    this->SetBaseDirection(lldb::eRunForward);
    return Status::FromErrorStringWithFormatv(
        "{0} can't run backwards: nothing has been recorded", what);
  }

  /// LLDB's event thread calls this with every event of a process that it
  /// shows, and then draws the status line for that process, even if the user
  /// has selected the other target.
  size_t GetSTDOUT(char *buf, size_t buf_size, Status &error) override {
    Debugger &debugger = this->GetTarget().GetDebugger();
    if (debugger.GetSelectedTarget().get() != &this->GetTarget())
      RedrawStatuslineForSelected(debugger);
    return Base::GetSTDOUT(buf, buf_size, error);
  }

  Status DoGetMemoryRegionInfo(lldb::addr_t addr,
                               MemoryRegionInfo &info) override {
    if (!IsInWindow(addr))
      return Base::DoGetMemoryRegionInfo(addr, info);
    constexpr lldb::addr_t kUnit = 4096;
    info.GetRange().SetRangeBase(addr & ~(kUnit - 1));
    info.GetRange().SetByteSize(kUnit);
    info.SetMapped(MemoryRegionInfo::eYes);
    info.SetReadable(MemoryRegionInfo::eYes);
    info.SetWritable(MemoryRegionInfo::eYes);
    info.SetExecutable(MemoryRegionInfo::eNo);
    return Status();
  }

  size_t ReadMemory(lldb::addr_t addr, void *buf, size_t size,
                    Status &error) override {
    if (IsInWindow(addr)) {
      error.Clear();
      return GetLanes()->Read(*this, addr, buf, size, error);
    }
    if (HasUsedLanes())
      m_loans.Settle();
    const size_t done = Base::ReadMemory(addr, buf, size, error);
    // LLDB's cache reports the line that it tried to fill.
    if (done < size && error.Fail() &&
        llvm::StringRef(error.AsCString())
            .starts_with("memory read failed for"))
      error = Status::FromErrorStringWithFormatv(
          "read memory from {0:x} failed ({1} of {2} bytes read)", addr, done,
          size);
    return done;
  }

  size_t DoReadMemory(lldb::addr_t addr, void *buf, size_t size,
                      Status &error) override {
    if (IsInWindow(addr))
      return GetLanes()->Read(*this, addr, buf, size, error);
    return Base::DoReadMemory(addr, buf, size, error);
  }

  llvm::SmallVector<llvm::MutableArrayRef<uint8_t>>
  ReadMemoryRanges(llvm::ArrayRef<Range<lldb::addr_t, size_t>> ranges,
                   llvm::MutableArrayRef<uint8_t> buffer) override {
    llvm::SmallVector<llvm::MutableArrayRef<uint8_t>> results(ranges.size());
    // A server doesn't know the window; the window's ranges use the end of the
    // buffer.
    llvm::SmallVector<Range<lldb::addr_t, size_t>> others;
    llvm::SmallVector<size_t> indices;
    for (auto [index, range] : llvm::enumerate(ranges)) {
      if (!IsInWindow(range.base)) {
        others.push_back(range);
        indices.push_back(index);
        continue;
      }
      if (range.size > buffer.size())
        return results;
      Status error;
      results[index] = buffer.take_back(range.size);
      buffer = buffer.drop_back(range.size);
      results[index] = results[index].take_front(GetLanes()->Read(
          *this, range.base, results[index].data(), range.size, error));
    }
    if (others.empty())
      return results;
    for (auto [index, bytes] :
         llvm::zip(indices, Base::ReadMemoryRanges(others, buffer)))
      results[index] = bytes;
    return results;
  }

  size_t DoWriteMemory(lldb::addr_t addr, const void *buf, size_t size,
                       Status &error) override {
    if (IsInWindow(addr)) {
      error.Clear();
      return GetLanes()->Write(*this, addr, buf, size, error);
    }
    if (GetLanes()) {
      error = m_loans.WillWrite(addr, buf, size);
      if (error.Fail())
        return 0;
    }
    const size_t done = Base::DoWriteMemory(addr, buf, size, error);
    if (done)
      NotifyOtherSide();
    return done;
  }

protected:
  /// Called after a write to memory.
  void NotifyOtherSide() {
    lldb::TargetSP other_sp = GetOtherSide(this->GetTarget());
    lldb::ProcessSP process_sp = other_sp ? other_sp->GetProcessSP() : nullptr;
    if (auto *sharer = dynamic_cast<SharesMemory *>(process_sp.get()))
      sharer->ForgetMemory();
  }

private:
  WindowLoans m_loans{*this};
};

} // namespace wavelane
} // namespace lldb_private

#endif
