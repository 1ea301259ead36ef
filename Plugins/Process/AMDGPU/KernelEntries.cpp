//===-- KernelEntries.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEntries.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointLocationCollection.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr char kKind[] = "kernel entry";

bool KernelEntries::Owns(BreakpointLocation &location) {
  const char *kind = location.GetBreakpoint().GetBreakpointKind();
  return kind && llvm::StringRef(kind) == kKind;
}

namespace {
class KernelEntryStop : public StopInfo {
public:
  KernelEntryStop(Thread &wave, uint64_t site) : StopInfo(wave, site) {
    SetDescription(kKind);
  }
  StopReason GetStopReason() const override { return eStopReasonBreakpoint; }

protected:
  bool DoShouldNotify(Event *) override { return true; }
};
} // namespace

StopInfoSP KernelEntries::MakeStopInfo(Thread &wave, const StopInfo &info) {
  if (info.GetStopReason() != eStopReasonBreakpoint ||
      dynamic_cast<const KernelEntryStop *>(&info))
    return nullptr;
  BreakpointSiteSP site_sp =
      wave.GetProcess()->GetBreakpointSiteList().FindByID(
          break_id_t(info.GetValue()));
  BreakpointLocationCollection owners;
  if (!site_sp || !site_sp->CopyConstituentsList(owners))
    return nullptr;
  for (size_t i = 0; i < owners.GetSize(); ++i)
    if (!Owns(*owners.GetByIndex(i)))
      return nullptr;
  return std::make_shared<KernelEntryStop>(wave, info.GetValue());
}

void KernelEntries::Add(Target &target, Module &module, llvm::StringRef kernel,
                        Entries &entries) {
  SymbolContextList functions;
  module.FindSymbolsWithNameAndType(ConstString(kernel), eSymbolTypeCode,
                                    functions);
  for (const SymbolContext &function : functions) {
    const addr_t address = function.symbol->GetLoadAddress(&target);
    if (address == LLDB_INVALID_ADDRESS || entries.count(address))
      continue;
    auto known = m_entries.find(address);
    if (known != m_entries.end()) {
      entries.insert(*known);
      continue;
    }
    BreakpointSP breakpoint_sp = target.CreateBreakpoint(
        address, /*internal=*/true, /*request_hardware=*/false);
    if (!breakpoint_sp)
      continue;
    breakpoint_sp->SetBreakpointKind(kKind);
    entries[address] = breakpoint_sp->GetID();
  }
}

void KernelEntries::Update(Target &target, bool wanted) {
  if (wanted && !m_modules_changed.exchange(false))
    return;
  Entries entries;
  if (wanted) {
    for (const ModuleSP &module_sp : target.GetImages().Modules()) {
      Symtab *symbols = module_sp->GetSymtab();
      // Only kernels have a descriptor.
      for (size_t i = 0; symbols && i < symbols->GetNumSymbols(); ++i) {
        const Mangled &mangled = symbols->SymbolAtIndex(i)->GetMangled();
        llvm::StringRef name =
            mangled.GetName(Mangled::ePreferMangled).GetStringRef();
        if (name.consume_back(".kd"))
          Add(target, *module_sp, name, entries);
      }
    }
  } else {
    m_modules_changed = true;
  }
  for (auto &[address, id] : m_entries)
    if (!entries.count(address))
      target.RemoveBreakpointByID(id);
  m_entries = std::move(entries);
}
