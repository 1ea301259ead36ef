//===-- Provenance.h - where a value is from --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that isn't read from the variable's own location says so, and so does
// what is computed from it. LLDB's results of expressions have no place for
// that: what is read while one is evaluated is noted.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_LANE_PROVENANCE_H
#define WAVELANE_CORE_LANE_PROVENANCE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
class ValueObject;
namespace wavelane {

struct Provenance {
  enum class Kind {
    eStale,    ///< known at an earlier line; it may have changed since
    eDispatch, ///< an argument of the kernel's dispatch
    eSource    ///< what the source proves
  };
  Kind kind = Kind::eStale;
  /// "value at line 12"
  std::string text;

  /// "stale", "dispatch" or "source", as in records.
  const char *GetName() const;
};

/// A symbol file that knows where values of variables are from; implemented
/// beside lldb_private::SymbolFile, and found by dynamic_cast.
class ProvenanceSource {
public:
  virtual ~ProvenanceSource() = default;

  /// \return nullopt if a frame's variable has its current value.
  virtual std::optional<Provenance> FindProvenance(ValueObject &variable) = 0;
};

/// The variable, or the result of an expression, that \a object is, or is a
/// part of, or leads to.
ValueObject &GetRootVariable(ValueObject &object);

/// \return nullopt for the current value.
std::optional<Provenance> GetProvenance(ValueObject &object);

/// Notes where the result of an expression is from.
void SetProvenance(ValueObject &result, Provenance provenance);

/// Notes the stale variables that this thread of LLDB reads while it exists.
class ProvenanceScope {
public:
  ProvenanceScope();
  ~ProvenanceScope();
  ProvenanceScope(const ProvenanceScope &) = delete;
  ProvenanceScope &operator=(const ProvenanceScope &) = delete;

  /// "t [value at line 12], u [value at line 15]"; empty if all that was read
  /// is current.
  std::string Describe() const;

  /// What Describe joins.
  const std::vector<std::string> &GetStale() const { return m_stale; }

  /// Whether another scope around this one notes the same, and says so.
  bool IsWithinAnother() const { return m_outer; }

  /// Called by what reads variables.
  static void Note(llvm::StringRef variable, const Provenance &provenance);

private:
  std::vector<std::string> m_stale;
  ProvenanceScope *const m_outer;
};

} // namespace wavelane
} // namespace lldb_private

#endif
