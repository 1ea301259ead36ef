//===-- SourcePlace.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourcePlace.h"
#include "Core/MachineCode/LineOfCode.h"
#include "Core/Support/LibraryCode.h"
#include "lldb/Core/Address.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::string wavelane::FormatLine(const LineEntry &entry, bool with_column) {
  if (!entry.IsValid())
    return {};
  std::string text = entry.GetFile().GetFilename().GetString();
  text += ':' + std::to_string(entry.line);
  if (with_column && entry.column)
    text += ':' + std::to_string(entry.column);
  return text;
}

std::string wavelane::FormatLine(StackFrame &frame) {
  return FormatLine(frame.GetSymbolContext(eSymbolContextLineEntry).line_entry);
}

SourcePlace SourcePlace::Find(Target &target, addr_t pc) {
  SourcePlace place;
  Address address;
  SymbolContext sc;
  if (pc == LLDB_INVALID_ADDRESS || !target.ResolveLoadAddress(pc, address))
    return place;
  address.CalculateSymbolContext(&sc, eSymbolContextEverything);
  place.function = sc.function;
  FindLineOfCode(address, sc.line_entry);
  ClimbToOwnCode(address, sc);
  place.name =
      sc.GetFunctionName(Mangled::ePreferDemangledWithoutArguments).GetString();
  if (sc.line_entry.IsValid() && sc.line_entry.line)
    place.line = sc.line_entry;
  return place;
}

std::string SourcePlace::Format(Target &target, addr_t pc,
                                bool with_column) const {
  if (line.IsValid())
    return FormatLine(line, with_column);
  StreamString text;
  Address address;
  if (target.ResolveLoadAddress(pc, address))
    address.Dump(&text, &target, Address::DumpStyleResolvedDescriptionNoModule);
  return text.GetString().empty() ? llvm::formatv("{0:x}", pc).str()
                                  : text.GetString().str();
}
