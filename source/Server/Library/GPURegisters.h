//===-- GPURegisters.h - The registers of waves -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of waves in LLDB's terms. A client asks for them once, before
// any wave exists, so they are the union of the registers of both wave sizes
// and all of the agents' architectures.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_LIBRARY_GPUREGISTERS_H
#define WAVELANE_SERVER_LIBRARY_GPUREGISTERS_H

#include "GPUSession.h"
#include "RegisterFields.h"
#include "lldb/Host/common/NativeRegisterContext.h"
#include <deque>
#include <map>

namespace wavelane::server {

class GPURegisters {
public:
  /// Null if the library fails, or lists no registers with a program counter.
  static std::unique_ptr<GPURegisters>
  Create(GPUSession &session,
         llvm::ArrayRef<amd_dbgapi_architecture_id_t> architectures);

  /// The program counter and the mask of active lanes come first.
  static constexpr uint32_t PC = 0, Exec = 1;

  uint32_t GetCount() const { return m_infos.size(); }
  const lldb_private::RegisterInfo *GetInfo(uint32_t index) const {
    return index < m_infos.size() ? &m_infos[index] : nullptr;
  }
  /// A handle of 0 if the architecture has no such register.
  amd_dbgapi_register_id_t
  GetID(uint32_t index, amd_dbgapi_architecture_id_t architecture) const {
    for (const auto &[owner, id] : m_ids[index])
      if (owner == architecture.handle)
        return id;
    return {0};
  }
  uint32_t GetSetCount() const { return m_sets.size(); }
  const lldb_private::RegisterSet *GetSet(uint32_t index) const {
    return index < m_sets.size() ? &m_sets[index] : nullptr;
  }
  const char *GetSetName(uint32_t index) const;
  std::optional<uint32_t> Find(llvm::StringRef name) const;

  /// The description for gdb-remote clients.
  std::string GetTargetXML() const;
  /// The answer to qRegisterInfo, without the frame; empty past the last one.
  std::string GetRegisterInfo(uint32_t index) const;

private:
  GPURegisters() = default;

  std::deque<std::string> m_names;
  std::vector<lldb_private::RegisterInfo> m_infos;
  /// By architecture.
  using IDs =
      llvm::SmallVector<std::pair<uint64_t, amd_dbgapi_register_id_t>, 1>;
  std::vector<IDs> m_ids;
  std::vector<lldb_private::RegisterSet> m_sets;
  std::vector<std::vector<uint32_t>> m_members;
  /// By index, for registers with fields.
  std::map<uint32_t, RegisterFields> m_fields;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_GPUREGISTERS_H
