//===-- LaneProcess.h - processes whose memory has a window -----*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_LANE_LANEPROCESS_H
#define WAVELANE_PLUGINS_LANE_LANEPROCESS_H

#include "ProcessLanes.h"
#include "WindowLoans.h"
#include "lldb/Target/MemoryRegionInfo.h"

namespace lldb_private {
namespace wavelane {

/// \p Base, a class of LLDB's processes, with lanes: addresses in their window are
/// served by ProcessLanes in place of the program's memory.
template <typename Base> class LaneProcess : public Base, public LaneOwner {
public:
  using Base::Base;

  void InvalidateValues() override { this->m_mod_id.BumpMemoryID(); }

  bool IsInWindow(lldb::addr_t addr) const {
    auto lanes = GetLanes();
    return lanes && lanes->Contains(addr);
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
    m_loans.Settle();
    const size_t done = Base::ReadMemory(addr, buf, size, error);
    // LLDB's cache names the line that it has tried to fill.
    if (done < size && error.Fail() &&
        llvm::StringRef(error.AsCString()).starts_with("memory read failed for"))
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

  size_t DoWriteMemory(lldb::addr_t addr, const void *buf, size_t size,
                       Status &error) override {
    if (IsInWindow(addr)) {
      error.Clear();
      return GetLanes()->Write(*this, addr, buf, size, error);
    }
    const size_t done = Base::DoWriteMemory(addr, buf, size, error);
    if (GetLanes() && done == size)
      m_loans.DidWrite(addr, buf, size);
    return done;
  }

private:
  WindowLoans m_loans{*this};
};

} // namespace wavelane
} // namespace lldb_private

#endif
