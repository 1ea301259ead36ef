//===-- WideRegisters.cpp - AVX-512 registers of the host's threads -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's server knows x86-64 registers up to AVX, but lanes of widened loops
// are also in AVX-512's registers: the vectors zmm0 to zmm31 and the masks k0
// to k7. These are read from the thread's XSAVE area (Intel's manual, volume 1,
// chapter 13), whose layout the processor reports, and are sent to clients like
// all others.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

#include "WideRegisters.h"
#include "Plugins/Process/Linux/NativeProcessLinux.h"
#include "Plugins/Process/Linux/NativeRegisterContextLinux_x86_64.h"
#include "Plugins/Process/Linux/NativeThreadLinux.h"
#include "Plugins/Process/Utility/RegisterContextLinux_x86_64.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <cpuid.h>
#include <deque>
#include <elf.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/uio.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::process_linux;

namespace wavelane::server {
namespace {

/// Components of the XSAVE area, by the bits that say whether they are in use.
enum Component : unsigned {
  SSE = 1,
  AVX = 2,
  Masks = 5,
  UpperHalves = 6,
  UpperVectors = 7
};

/// The offsets of the area's parts in bytes; all zero without AVX-512.
struct Layout {
  uint32_t halves = 0, mask_registers = 0, quarters = 0, vectors = 0;
  /// The most that the area may have, and what the parts need: a hypervisor may
  /// keep state of the processor from the operating system.
  uint32_t most = 0, least = 0;
  static constexpr uint32_t XMM = 160, Header = 512;

  static const Layout &Get() {
    static const Layout layout = [] {
      Layout l;
      unsigned a, b, c, d;
      const auto begin = [&](unsigned component, uint32_t size) -> uint32_t {
        // EAX: the component's size; EBX: its offset in the standard format.
        return __get_cpuid_count(0xd, component, &a, &b, &c, &d) && a >= size
                   ? b
                   : 0;
      };
      if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX512F) ||
          !__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
        return l;
      // The operating system has enabled all of AVX-512's state.
      constexpr unsigned all =
          1u << AVX | 1u << Masks | 1u << UpperHalves | 1u << UpperVectors;
      if ((a & all) != all)
        return l;
      l.most = c;
      l.halves = begin(AVX, 16 * 16);
      l.mask_registers = begin(Masks, 8 * 8);
      l.quarters = begin(UpperHalves, 16 * 32);
      l.vectors = begin(UpperVectors, 16 * 64);
      if (l.halves && l.mask_registers && l.quarters && l.vectors)
        l.least = std::max({l.halves + 16 * 16, l.mask_registers + 8 * 8,
                            l.quarters + 16 * 32, l.vectors + 16 * 64});
      return l;
    }();
    return layout;
  }
};

/// A piece of a register in the area.
struct Piece {
  Component component;
  uint32_t offset, size;
};

/// The added registers, which come after LLDB's own.
struct Table {
  struct Register {
    RegisterInfo info;
    std::string name;
    std::vector<uint32_t> invalidates;
    std::vector<Piece> pieces;
  };
  std::deque<Register> added;
  /// LLDB's own registers that share bytes with added ones.
  llvm::DenseMap<uint32_t, RegisterInfo> changed;
  std::deque<std::vector<uint32_t>> lists;
  std::vector<uint32_t> vectors, masks;
  RegisterSet sets[2];

  /// \param first The number of LLDB's own registers.
  Table(const NativeRegisterContext &base, uint32_t first) {
    const Layout &l = Layout::Get();
    for (uint32_t i = 0; i < 32; ++i) {
      std::vector<Piece> pieces;
      if (i < 16)
        pieces = {{SSE, Layout::XMM + 16 * i, 16},
                  {AVX, l.halves + 16 * i, 16},
                  {UpperHalves, l.quarters + 32 * i, 32}};
      else
        pieces = {{UpperVectors, l.vectors + 64 * (i - 16), 64}};
      // DWARF has one number for a vector of any width, and LLDB's own table
      // already has vectors 0 to 15.
      Add("zmm" + std::to_string(i), first,
          i < 16 ? LLDB_INVALID_REGNUM : 67 + i - 16, std::move(pieces),
          vectors);
    }
    for (uint32_t i = 0; i < 8; ++i)
      Add("k" + std::to_string(i), first, 118 + i,
          {{Masks, l.mask_registers + 8 * i, 8}}, masks);
    sets[0] = {"AVX-512 Registers", "avx512", vectors.size(), vectors.data()};
    sets[1] = {"AVX-512 Mask Registers", "avx512mask", masks.size(),
               masks.data()};

    // Writing a register invalidates cached values of those that share its
    // bytes.
    for (uint32_t i = 0; i < first; ++i) {
      const RegisterInfo *info = base.GetRegisterInfoAtIndex(i);
      llvm::StringRef name = info && info->name ? info->name : "";
      uint32_t number;
      if (!(name.consume_front("xmm") || name.consume_front("ymm")) ||
          name.getAsInteger(10, number) || number > 15)
        continue;
      std::vector<uint32_t> &list = lists.emplace_back();
      if (info->invalidate_regs)
        for (const uint32_t *r = info->invalidate_regs;
             *r != LLDB_INVALID_REGNUM; ++r)
          list.push_back(*r);
      list.push_back(vectors[number]);
      list.push_back(LLDB_INVALID_REGNUM);
      changed[i] = *info;
      changed[i].invalidate_regs = list.data();
      added[number].invalidates.push_back(i);
    }
    for (Register &r : added) {
      r.invalidates.push_back(LLDB_INVALID_REGNUM);
      if (r.invalidates.size() > 1)
        r.info.invalidate_regs = r.invalidates.data();
    }
  }

private:
  void Add(std::string name, uint32_t first, uint32_t dwarf,
           std::vector<Piece> pieces, std::vector<uint32_t> &set) {
    Register &r = added.emplace_back();
    const uint32_t index = first + uint32_t(added.size()) - 1;
    r.name = std::move(name);
    r.pieces = std::move(pieces);
    r.info = {};
    r.info.name = r.name.c_str();
    for (const Piece &piece : r.pieces)
      r.info.byte_size += piece.size;
    // Clients distinguish registers by offset, so these come after LLDB's.
    r.info.byte_offset = 0x10000 + 64 * index;
    const bool is_vector = r.info.byte_size > 8;
    r.info.encoding = is_vector ? eEncodingVector : eEncodingUint;
    r.info.format = is_vector ? eFormatVectorOfUInt8 : eFormatHex;
    for (uint32_t &kind : r.info.kinds)
      kind = LLDB_INVALID_REGNUM;
    r.info.kinds[eRegisterKindEHFrame] = r.info.kinds[eRegisterKindDWARF] =
        dwarf;
    r.info.kinds[eRegisterKindLLDB] = index;
    set.push_back(index);
  }
};

class WideRegisterContext : public NativeRegisterContextLinux_x86_64 {
public:
  WideRegisterContext(const ArchSpec &arch, NativeThreadProtocol &thread)
      : NativeRegisterContextRegisterInfo(
            thread, new RegisterContextLinux_x86_64(arch)),
        NativeRegisterContextLinux_x86_64(arch, thread),
        m_first(Base::GetUserRegisterCount()) {
    static const Table table(*this, m_first);
    m_table = &table;
  }

  uint32_t GetRegisterCount() const override {
    return Base::GetRegisterCount() +
           uint32_t(m_table ? m_table->added.size() : 0);
  }
  uint32_t GetUserRegisterCount() const override {
    return m_first + uint32_t(m_table ? m_table->added.size() : 0);
  }
  uint32_t GetRegisterSetCount() const override {
    return Base::GetRegisterSetCount() + uint32_t(std::size(m_table->sets));
  }
  const RegisterSet *GetRegisterSet(uint32_t index) const override {
    const uint32_t own = Base::GetRegisterSetCount();
    if (!m_table || index < own)
      return Base::GetRegisterSet(index);
    return index - own < std::size(m_table->sets) ? &m_table->sets[index - own]
                                                  : nullptr;
  }
  const RegisterInfo *GetRegisterInfoAtIndex(uint32_t index) const override {
    if (!m_table)
      return Base::GetRegisterInfoAtIndex(index);
    if (index < m_first) {
      auto changed = m_table->changed.find(index);
      return changed == m_table->changed.end()
                 ? Base::GetRegisterInfoAtIndex(index)
                 : &changed->second;
    }
    if (index - m_first < m_table->added.size())
      return &m_table->added[index - m_first].info;
    return Base::GetRegisterInfoAtIndex(index -
                                        uint32_t(m_table->added.size()));
  }
  const RegisterInfo *GetDR(int number) const override {
    return Base::GetRegisterInfoAtIndex(x86_64_with_base::lldb_dr0 + number);
  }

  Status ReadRegister(const RegisterInfo *info, RegisterValue &value) override {
    const Table::Register *added = Find(info);
    if (IsDebugRegister(info))
      return DoReadRegisterValue(info->byte_offset, info->name, info->byte_size,
                                 value);
    if (!added)
      return Base::ReadRegister(info, value);
    std::vector<uint8_t> area;
    Status error = Transfer(PTRACE_GETREGSET, area);
    if (error.Fail())
      return error;
    uint8_t bytes[64];
    uint32_t size = 0;
    for (const Piece &piece : added->pieces) {
      std::copy_n(area.begin() + piece.offset, piece.size, bytes + size);
      size += piece.size;
    }
    value.SetFromMemoryData(*info, bytes, size, eByteOrderLittle, error);
    return error;
  }

  Status WriteRegister(const RegisterInfo *info,
                       const RegisterValue &value) override {
    const Table::Register *added = Find(info);
    if (IsDebugRegister(info))
      return DoWriteRegisterValue(info->byte_offset, info->name, value);
    if (!added)
      return Base::WriteRegister(info, value);
    std::vector<uint8_t> area;
    Status error = Transfer(PTRACE_GETREGSET, area);
    if (error.Fail())
      return error;
    uint8_t bytes[64];
    if (value.GetAsMemoryData(*info, bytes, info->byte_size, eByteOrderLittle,
                              error) != info->byte_size)
      return error;
    uint32_t size = 0;
    for (const Piece &piece : added->pieces) {
      std::copy_n(bytes + size, piece.size, area.begin() + piece.offset);
      size += piece.size;
      area[Layout::Header] |= uint8_t(1u << piece.component);
    }
    error = Transfer(PTRACE_SETREGSET, area);
    // Read the area again: LLDB's class writes back the whole area as it last
    // read it.
    if (error.Fail())
      return error;
    return ReadFPR();
  }

private:
  using Base = NativeRegisterContextLinux_x86_64;

  /// LLDB's class finds debug registers by number, and added registers have the
  /// same numbers.
  bool IsDebugRegister(const RegisterInfo *info) const {
    return info >= GetDR(0) && info <= GetDR(7);
  }

  const Table::Register *Find(const RegisterInfo *info) const {
    const uint32_t index =
        info ? info->kinds[eRegisterKindLLDB] : LLDB_INVALID_REGNUM;
    // LLDB's debug registers have the same numbers in a separate table.
    if (index < m_first || index - m_first >= m_table->added.size() ||
        info != &m_table->added[index - m_first].info)
      return nullptr;
    return &m_table->added[index - m_first];
  }

  Status Transfer(int request, std::vector<uint8_t> &area) {
    const Layout &layout = Layout::Get();
    if (request == PTRACE_GETREGSET)
      area.resize(std::max(layout.most, layout.least));
    iovec vector = {area.data(), area.size()};
    unsigned kind = NT_X86_XSTATE;
    Status error = NativeProcessLinux::PtraceWrapper(
        request, m_thread.GetID(), &kind, &vector, sizeof(vector));
    if (error.Success() && vector.iov_len < layout.least)
      return Status::FromErrorStringWithFormat(
          "the kernel gives %zu bytes of extended state, not %u",
          vector.iov_len, layout.least);
    area.resize(std::min(area.size(), vector.iov_len));
    return error;
  }

  // Null while the constructor calls LLDB's class through virtual functions.
  const Table *m_table = nullptr;
  const uint32_t m_first;
};

} // namespace
} // namespace wavelane::server

static std::unique_ptr<NativeRegisterContextLinux>
CreateWide(const ArchSpec &arch, NativeThreadLinux &thread) {
  if (arch.GetMachine() != llvm::Triple::x86_64 ||
      !wavelane::server::Layout::Get().least)
    return NativeRegisterContextLinux::CreateHostNativeRegisterContextLinux(
        arch, thread);
  return std::make_unique<wavelane::server::WideRegisterContext>(arch, thread);
}

void wavelane::server::UseWideRegisters() {
  NativeRegisterContextLinux::s_create = CreateWide;
}

#endif
