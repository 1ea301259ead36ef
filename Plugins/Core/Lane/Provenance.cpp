//===-- Provenance.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Provenance.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/SymbolFile.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <map>
#include <mutex>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

const char *Provenance::GetName() const {
  switch (kind) {
  case Kind::eStale:
    return "stale";
  case Kind::eDispatch:
    return "dispatch";
  case Kind::eSource:
    return "source";
  }
  llvm_unreachable("not a kind");
}

ValueObject &lldb_private::wavelane::GetRootVariable(ValueObject &object) {
  ValueObject *root = &object;
  while (ValueObject *parent = root->GetParent())
    root = parent;
  return *root;
}

namespace {
/// LLDB's results have no place for what is known of them.
class Results {
public:
  static Results &Get() {
    static Results g_results;
    return g_results;
  }

  void Add(ValueObject &result, Provenance provenance) {
    std::lock_guard<std::mutex> guard(m_mutex);
    for (auto known = m_known.begin(); known != m_known.end();)
      known = known->second.result_wp.expired() ? m_known.erase(known)
                                                : std::next(known);
    m_known[&result] = {result.GetSP(), std::move(provenance)};
  }

  std::optional<Provenance> Find(ValueObject &result) {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto known = m_known.find(&result);
    if (known == m_known.end() || known->second.result_wp.expired())
      return std::nullopt;
    return known->second.provenance;
  }

private:
  struct Known {
    std::weak_ptr<ValueObject> result_wp;
    Provenance provenance;
  };
  std::mutex m_mutex;
  std::map<ValueObject *, Known> m_known;
};
} // namespace

void lldb_private::wavelane::SetProvenance(ValueObject &result,
                                           Provenance provenance) {
  Results::Get().Add(result, std::move(provenance));
}

/// Whether a pointer or a reference leads from the root variable to \a object.
static bool IsPointee(ValueObject &object) {
  for (ValueObject *parent = object.GetParent(); parent;
       parent = parent->GetParent())
    if (parent->IsPointerOrReferenceType())
      return true;
  return false;
}

std::optional<Provenance>
lldb_private::wavelane::GetProvenance(ValueObject &object) {
  ValueObject &root = GetRootVariable(object);
  if (!root.GetVariable())
    return Results::Get().Find(root);
  ModuleSP module_sp = root.GetModule();
  SymbolFile *file = module_sp ? module_sp->GetSymbolFile() : nullptr;
  auto *source = dynamic_cast<ProvenanceSource *>(
      file ? file->GetBackingSymbolFile() : nullptr);
  std::optional<Provenance> from = source && root.GetError().Success()
                                       ? source->FindProvenance(root)
                                       : std::nullopt;
  // What a pointer leads to is read now; where it leads may be stale.
  if (from && from->kind != Provenance::Kind::eStale && IsPointee(object))
    return std::nullopt;
  return from;
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
