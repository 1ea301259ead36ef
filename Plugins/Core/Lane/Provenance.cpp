//===-- Provenance.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Provenance.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/SymbolFile.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

ValueObject &lldb_private::wavelane::GetRootVariable(ValueObject &object) {
  ValueObject *root = &object;
  while (ValueObject *parent = root->GetParent())
    root = parent;
  return *root;
}

std::optional<Provenance>
lldb_private::wavelane::GetProvenance(ValueObject &object) {
  ValueObject &root = GetRootVariable(object);
  ModuleSP module_sp = root.GetVariable() ? root.GetModule() : nullptr;
  SymbolFile *file = module_sp ? module_sp->GetSymbolFile() : nullptr;
  auto *source = dynamic_cast<ProvenanceSource *>(
      file ? file->GetBackingSymbolFile() : nullptr);
  return source && root.GetError().Success() ? source->FindProvenance(root)
                                             : std::nullopt;
}

static thread_local ProvenanceScope *t_innermost = nullptr;

ProvenanceScope::ProvenanceScope() : m_outer(t_innermost) {
  t_innermost = this;
}

ProvenanceScope::~ProvenanceScope() { t_innermost = m_outer; }

std::string ProvenanceScope::Describe() const {
  return llvm::join(m_stale, ", ");
}

void ProvenanceScope::Note(llvm::StringRef variable,
                           const Provenance &provenance) {
  if (provenance.kind != Provenance::Kind::eStale)
    return;
  const std::string text = (variable + " [" + provenance.text + "]").str();
  for (ProvenanceScope *scope = t_innermost; scope; scope = scope->m_outer)
    if (!llvm::is_contained(scope->m_stale, text))
      scope->m_stale.push_back(text);
}
