//===-- SharedFiles.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedFiles.h"
#include "Process/AMDGPU/JSONPackets.h"
#include "ProcessGDBRemote.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"

#include "lldb/Target/Process.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

SharedFiles::SharedFiles(llvm::ArrayRef<std::shared_ptr<Rank>> ranks) {
  for (const auto &rank : ranks) {
    ProcessSP host_sp = rank->GetProcess();
    auto *remote =
        dynamic_cast<process_gdb_remote::ProcessGDBRemote *>(host_sp.get());
    if (!remote || rank->state != Rank::State::Stopped)
      continue;
    using ::wavelane::protocol::SharedFile;
    auto answer = AskServer<std::vector<SharedFile>>(
        remote->GetGDBRemote(), ::wavelane::server::packets::SharedFiles,
        nullptr);
    if (!answer) {
      // A core's, or another server.
      llvm::consumeError(answer.takeError());
      continue;
    }
    for (const SharedFile &shared : *answer) {
      const llvm::StringRef file = shared.File;
      // Of a GPU's device file, every process has memory of its own.
      if (file.starts_with("/dev/") && !file.starts_with("/dev/shm/"))
        continue;
      Part part;
      part.begin = shared.Begin;
      part.end = shared.End;
      part.offset = shared.Offset;
      part.identity = llvm::formatv("{0} {1} {2}", rank->registration.Host,
                                    shared.Device, shared.Inode);
      part.file = shared.File;
      m_parts[rank->GetNumber()].push_back(std::move(part));
    }
  }
}

std::optional<SharedFiles::Place> SharedFiles::Find(uint32_t rank,
                                                    addr_t address) const {
  auto own = m_parts.find(rank);
  if (own == m_parts.end())
    return std::nullopt;
  for (const Part &part : own->second) {
    if (address < part.begin || address >= part.end)
      continue;
    Place place{part.file, part.offset + (address - part.begin), {}};
    for (const auto &[number, parts] : m_parts)
      if (number != rank && llvm::any_of(parts, [&](const Part &other) {
            return other.identity == part.identity &&
                   place.offset >= other.offset &&
                   place.offset - other.offset < other.end - other.begin;
          }))
        place.others.push_back(number);
    return place;
  }
  return std::nullopt;
}
